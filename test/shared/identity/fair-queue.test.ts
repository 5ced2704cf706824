import { createFairQueue, flowsOf } from '@gatehouse/shared/identity/fair-queue';
import PQueue from 'p-queue';
import { expect, test } from 'vitest';

/** A queue whose jobs wait until `finish`, which returns their names in the order in which they ran. */
function heldQueue(maxQueued = 100) {
  const queue = new PQueue({ concurrency: 1, autoStart: false });
  const enqueue = createFairQueue(queue, { maxQueued });
  const order: string[] = [];
  const refused: string[] = [];
  const outcomes: Promise<unknown>[] = [];
  return {
    refused,
    add(name: string, { email, ip }: { email: string; ip: string }, times = 1) {
      for (let time = 0; time < times; time += 1) {
        const done = enqueue(async () => void order.push(name), flowsOf({ ip }, email));
        outcomes.push(done.catch(({ reason }) => refused.push(`${name}: ${reason}`)));
      }
    },
    async finish() {
      queue.start();
      await Promise.all(outcomes);
      return order;
    },
  };
}

const ADA = { email: 'ada@example.com', ip: '192.0.2.1' };
const GRACE = { email: 'grace@example.com', ip: '198.51.100.7' };

test('runs the jobs of one account in their order', async () => {
  const { add, finish } = heldQueue();
  for (const name of ['one', 'two', 'three']) add(name, ADA);
  expect(await finish()).toEqual(['one', 'two', 'three']);
});

test('another account waits for one job of a flood, not for all of them', async () => {
  const { add, finish } = heldQueue();
  add('flood', ADA, 10);
  add('grace', GRACE, 2);
  const order = await finish();
  expect(order).toHaveLength(12);
  expect(order.slice(0, 4)).toEqual(['flood', 'grace', 'flood', 'grace']);
});

test('a network that names many accounts gets one share', async () => {
  const { add, finish } = heldQueue();
  for (let index = 0; index < 10; index += 1) add('flood', { ...ADA, email: `user${index}@example.com` });
  add('grace', GRACE);
  expect((await finish()).indexOf('grace')).toBe(1);
});

test('an account that many networks name gets one share', async () => {
  const { add, finish } = heldQueue();
  for (let index = 0; index < 10; index += 1) add('flood', { ...ADA, ip: `192.0.2.${index}` });
  add('grace', GRACE);
  expect((await finish()).indexOf('grace')).toBe(1);
});

test('spellings of one address and addresses of one IPv6 network are one flow', async () => {
  const { add, finish } = heldQueue();
  add('flood', { email: 'ada@example.com', ip: '2001:db8::1' }, 5);
  add('flood', { email: 'ADA@example.com', ip: '203.0.113.9' }, 5);
  add('flood', { email: 'other@example.com', ip: '2001:db8::2' }, 5);
  add('grace', GRACE);
  expect((await finish()).indexOf('grace')).toBe(1);
});

test('a full queue takes the job of another account, and the last one of the flood gives way', async () => {
  const { add, finish, refused } = heldQueue(5);
  add('flood', ADA, 5);
  add('late', ADA);
  add('grace', GRACE);
  const order = await finish();
  expect(order).toEqual(['flood', 'grace', 'flood', 'flood', 'flood']);
  expect(refused.sort()).toEqual(['flood: unavailable', 'late: unavailable']);
});

test('an IPv6 /56 gets four shares and a /48 sixteen, however many networks they hold', async () => {
  for (const { apart, shares } of [
    { apart: 1, shares: 4 },
    { apart: 256, shares: 16 },
  ]) {
    const { add, finish } = heldQueue();
    for (let index = 1; index <= 40; index += 1) {
      const ip = `2001:db8:0:${(index * apart).toString(16)}::1`;
      add('flood', { email: `user${index}@example.com`, ip });
    }
    add('grace', GRACE, 2);
    const order = await finish();
    expect([order.indexOf('grace'), order.lastIndexOf('grace')]).toEqual([1, shares + 2]);
  }
});

test('a flow runs no more jobs at once than its limit, and others go ahead', async () => {
  const queue = new PQueue({ concurrency: 4 });
  const enqueue = createFairQueue(queue, { maxQueued: 100, maxRunning: () => 2 });
  const running: string[] = [];
  const releases: (() => void)[] = [];
  const add = (name: string, who: typeof ADA, signal?: AbortSignal) =>
    enqueue(
      () => {
        running.push(name);
        return new Promise<void>((resolve) => void releases.push(resolve));
      },
      flowsOf(who, who.email),
      signal,
    );
  const settled = () => new Promise((resolve) => setImmediate(resolve));
  const controller = new AbortController();
  const flood = ['one', 'two', 'three'].map((name) => add(name, ADA));
  const abandoned = add('abandoned', ADA, controller.signal);
  const grace = add('grace', GRACE);
  await settled();
  expect(running).toEqual(['one', 'two', 'grace']);
  controller.abort(new Error('too late'));
  await expect(abandoned).rejects.toThrow('too late');
  releases[0]?.();
  await flood[0];
  await settled();
  expect(running).toEqual(['one', 'two', 'grace', 'three']);
  for (const release of releases) release();
  await Promise.all([...flood, grace]);
});

test('a flow that has waited its turn does not pay for it later', async () => {
  const queue = new PQueue({ concurrency: 1 });
  const enqueue = createFairQueue(queue, { maxQueued: 100 });
  const flows = flowsOf(ADA, ADA.email);
  for (let time = 0; time < 20; time += 1) await enqueue(async () => {}, flows);
  const order: string[] = [];
  const jobs = [
    enqueue(async () => void order.push('ada'), flows),
    enqueue(async () => void order.push('grace'), flowsOf(GRACE, GRACE.email)),
  ];
  await Promise.all(jobs);
  expect(order).toEqual(['ada', 'grace']);
});
