import { expect, test } from 'vitest';
import { createSignal } from '../../../packages/webhooks/delivery/signal.ts';

test('keeps a notification that arrives before the wait', async () => {
  const signal = createSignal();
  signal.notify();
  signal.notify();
  await signal.wait();
});

test('waits for a new notification each time', async () => {
  const signal = createSignal();
  const woken: string[] = [];
  signal.notify();
  await signal.wait();
  const waiting = signal.wait().then(() => woken.push('second wait'));
  woken.push('notification');
  signal.notify();
  await waiting;
  expect(woken).toEqual(['notification', 'second wait']);
});

test('ends a wait after its timeout, without an effect on the next wait', async () => {
  const signal = createSignal();
  await signal.wait(1);
  signal.notify();
  await signal.wait(600_000);
});
