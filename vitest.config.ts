import { defineConfig } from 'vitest/config';

/** These replace a module, so each has modules of its own; the others share theirs, which is much faster. */
const MOCKING = ['test/shared/passwords.test.ts'];

export default defineConfig({
  test: {
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
