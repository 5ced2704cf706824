import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    expect: { poll: { timeout: 30_000, interval: 5 } },
    testTimeout: 60_000,
    hookTimeout: 60_000,
    isolate: false,
  },
});
