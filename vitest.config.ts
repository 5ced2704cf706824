import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** These replace a module, so each has modules of its own; the others share theirs, which is much faster. */
const MOCKING = ['test/shared/passwords.test.ts'];

/** Mostly these wait, for time-outs and for processes: others run beside them, as long as there are others. */
const FIRST = [
  'e2e/outages',
  'user/mail-faults',
  'gateway/forwarding',
  'standalone/launcher',
  'e2e/webhooks',
];

class WaitingFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId, project }: TestSpecification) =>
      Number(!project.config.isolate && !FIRST.some((name) => moduleId.endsWith(`/${name}.test.ts`)));
    return (await super.sort(files)).sort((one, other) => place(one) - place(other));
  }
}

export default defineConfig({
  test: {
    sequence: { sequencer: WaitingFirst },
    globalSetup: 'test/fixtures/mongodb.ts',
    maxWorkers: 4,
    testTimeout: 20_000,
    hookTimeout: 20_000,
    projects: [
      {
        extends: true,
        test: { name: 'shared', include: ['test/**/*.test.ts'], exclude: MOCKING, isolate: false },
      },
      { extends: true, test: { name: 'mocking', include: MOCKING } },
    ],
  },
});
