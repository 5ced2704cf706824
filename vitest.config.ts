import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** These replace a module, so each has modules of its own; the others share theirs, which is much faster. */
const MOCKING = ['test/shared/identity/passwords.test.ts'];

/** These mostly wait, for time-outs and processes: others run beside them, as long as there are others. */
const FIRST = ['e2e/outages', 'e2e/webhooks', 'standalone/launcher'];

class WaitingFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId, project }: TestSpecification) => {
      const at = FIRST.findIndex((name) => moduleId.endsWith(`/${name}.test.ts`));
      return project.config.isolate ? -1 : at < 0 ? FIRST.length : at;
    };
    return (await super.sort(files)).sort((one, other) => place(one) - place(other));
  }
}

export default defineConfig({
  test: {
    sequence: { sequencer: WaitingFirst },
    globalSetup: 'test/fixtures/compile-cache.ts',
    expect: { poll: { timeout: 30_000, interval: 5 } },
    maxWorkers: 4,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    projects: [
      {
        extends: true,
        test: {
          name: 'shared',
          include: ['test/**/*.test.ts', 'packages/*/test/**/*.test.ts'],
          exclude: MOCKING,
          isolate: false,
        },
      },
      { extends: true, test: { name: 'mocking', include: MOCKING } },
    ],
  },
});
