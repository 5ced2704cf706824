import { createPoller, type Poller } from '@gatehouse/shared/durable/poller';
import type { FastifyBaseLogger } from 'fastify';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';

/** Milliseconds. */
const INTERVAL = 1_000;

/** The runs that have begun, as promises for the test to settle. */
let runs: PromiseWithResolvers<void>[];
let warnings: unknown[][];
let isStopping: () => boolean;
let poller: Poller;
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  runs = [];
  warnings = [];
  const warn = (...logged: unknown[]) => void warnings.push(logged);
  poller = createPoller({
    interval: INTERVAL,
    run: (given) => {
      isStopping = given;
      const run = Promise.withResolvers<void>();
      runs.push(run);
      return run.promise;
    },
    log: { warn } as unknown as FastifyBaseLogger,
    failure: 'cannot look',
  });
});
afterEach(() => vi.useRealTimers());

/** Ends the latest run and lets the poller go on. */
async function endRun(error?: Error): Promise<void> {
  if (error) runs.at(-1)?.reject(error);
  else runs.at(-1)?.resolve();
  await vi.advanceTimersByTimeAsync(0);
}
const tick = () => vi.advanceTimersByTimeAsync(INTERVAL);

test('runs at each tick, but not before the first', async () => {
  poller.start();
  expect(runs).toHaveLength(0);
  await tick();
  expect(runs).toHaveLength(1);
  await endRun();
  await tick();
  expect(runs).toHaveLength(2);
});

test('skips a tick during a run', async () => {
  poller.start();
  await tick();
  await tick();
  await endRun();
  expect(runs).toHaveLength(1);
  await tick();
  expect(runs).toHaveLength(2);
});

test('runs at once when woken', () => {
  poller.wake();
  expect(runs).toHaveLength(1);
});

test('runs once more after a run during which it was woken twice', async () => {
  poller.wake();
  poller.wake();
  poller.wake();
  expect(runs).toHaveLength(1);
  await endRun();
  expect(runs).toHaveLength(2);
  await endRun();
  expect(runs).toHaveLength(2);
});

test('logs a failed run and waits for the next tick, even if it was woken', async () => {
  const error = new Error('MongoDB does not answer');
  poller.start();
  poller.wake();
  poller.wake();
  await endRun(error);
  expect(warnings).toEqual([[{ err: error }, 'cannot look']]);
  expect(runs).toHaveLength(1);
  await tick();
  expect(runs).toHaveLength(2);
});

test('stop waits for the run in progress and begins no other', async () => {
  poller.start();
  poller.wake();
  poller.wake();
  const steps: string[] = [];
  const stopped = poller.stop().then(() => steps.push('stopped'));
  expect(isStopping()).toBe(true);
  await tick();
  steps.push('run ends');
  await endRun();
  await stopped;
  expect(steps).toEqual(['run ends', 'stopped']);
  poller.wake();
  await tick();
  expect(runs).toHaveLength(1);
});

test('stop returns when nothing has run', async () => {
  await poller.stop();
  expect(runs).toHaveLength(0);
});
