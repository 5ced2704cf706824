import { defineConfig } from 'vitest/config';

const TESTS = ['test/**/*.test.ts', 'packages/*/test/**/*.test.ts'];
const SYSTEM_TESTS = '**/*.system.test.ts';

export default defineConfig({
  test: {
    projects: [
      {
        extends: true,
        test: {
          name: 'node',
          include: TESTS,
          exclude: [SYSTEM_TESTS, 'test/browser/**', '**/node_modules/**'],
        },
      },
      // These start, stop and kill processes, move much data, or need redis-server.
      { extends: true, test: { name: 'system', include: [SYSTEM_TESTS] } },
      // These drive headless Chromium through the account pages.
      { extends: true, test: { name: 'browser', include: ['test/browser/**/*.test.ts'] } },
    ],
    globalSetup: 'test/fixtures/compile-cache.ts',
    // Generous limits: a busy machine must not fail a test.
    expect: { poll: { timeout: 60_000, interval: 5 } },
    testTimeout: 120_000,
    hookTimeout: 120_000,
    isolate: false,
    // Node loads the tests and the sources as it loads the services: Vite would transform each of them, and turn each use
    // of an import into a getter, for a tenth more CPU time. `vi.mock` does not work this way; nothing uses it.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    // The gateway strips types with an experimental function of Node. A worker allocates gigabytes of short-lived
    // objects: with a larger young generation it spends half as much time on garbage collection.
    execArgv: ['--disable-warning=ExperimentalWarning', '--max-semi-space-size=64'],
    // A worker often waits, for a socket or a thread: a third one uses the two cores meanwhile. Each compiles the
    // services, the driver and the database again: four need half as much CPU time again as two.
    maxWorkers: 3,
  },
});
