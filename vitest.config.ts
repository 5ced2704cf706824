import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that mostly wait, for processes and timeouts. They start first, so that other files run beside them. */
const SLOW = ['standalone/launcher', 'e2e/outages', 'e2e/webhooks', 'e2e/journey'];

class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => {
      const index = SLOW.findIndex((name) => moduleId.endsWith(`/${name}.test.ts`));
      return index < 0 ? SLOW.length : index;
    };
    return (await super.sort(files)).sort((one, other) => rank(one) - rank(other));
  }
}

export default defineConfig({
  test: {
    projects: [
      {
        extends: true,
        test: {
          name: 'node',
          include: ['test/**/*.test.ts', 'packages/*/test/**/*.test.ts'],
          exclude: ['test/browser/**', '**/node_modules/**'],
        },
      },
      // These drive headless Chromium through the account pages.
      { extends: true, test: { name: 'browser', include: ['test/browser/**/*.test.ts'] } },
    ],
    sequence: { sequencer: SlowFirst },
    globalSetup: 'test/fixtures/compile-cache.ts',
    // Generous limits: a busy machine must not fail a test.
    expect: { poll: { timeout: 60_000, interval: 5 } },
    testTimeout: 120_000,
    hookTimeout: 120_000,
    isolate: false,
    // The gateway strips types with an experimental function of Node. A worker allocates gigabytes of short-lived
    // objects: with a larger young generation it spends half as much time on garbage collection.
    execArgv: ['--disable-warning=ExperimentalWarning', '--max-semi-space-size=64'],
    // Each worker compiles the services, the driver and the database again: four workers on two cores need half
    // as much processor time again as two.
    maxWorkers: 2,
  },
});
