import { createGatehouse, memoryStorage } from 'gatehouse';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startHttp } from '../fixtures/gateway.ts';

type Answer = [status: number, headers?: Record<string, string>] | 'lost';

type Options = Parameters<typeof createGatehouse>[0] & { isSignedIn?: boolean };

/** What the server answers, in order; then 200. */
const answers: Answer[] = [];
const received: { method: string | undefined; key: string | undefined }[] = [];
let http: Awaited<ReturnType<typeof startHttp>>;
beforeAll(async () => {
  http = await startHttp((request, response) => {
    received.push({ method: request.method, key: request.headers['idempotency-key'] as string | undefined });
    const answer = answers.shift() ?? [200];
    request.resume();
    if (answer === 'lost') return response.destroy();
    response.writeHead(answer[0], { 'content-type': 'application/json', ...answer[1] }).end('{}');
  });
});
afterAll(() => http.stop());
beforeEach(() => {
  answers.length = 0;
  received.length = 0;
});

const newClient = async ({ isSignedIn = true, ...options }: Options = {}) => {
  const gate = createGatehouse({ url: http.url, storage: memoryStorage(), ...options });
  if (isSignedIn) await gate.session.begin({ access_token: 'a token', expires_in: 3600, user_id: null });
  return gate;
};
const created = { method: 'POST', body: '{"name":"Ada"}' };

test.each<[string, Answer[], RequestInit, number]>([
  ['a read whose answer was lost', ['lost'], {}, 2],
  ['a read at 503', [[503]], {}, 2],
  ['a read at 429 with Retry-After', [[429, { 'retry-after': '1' }]], {}, 2],
  ['a write with a bearer, which has a key', ['lost', 'lost'], created, 3],
  [
    'a deletion with a key of the caller',
    ['lost'],
    { method: 'DELETE', headers: { 'idempotency-key': 'k' } },
    2,
  ],
])('%s is repeated', async (_, lost, init, made) => {
  answers.push(...lost);
  const gate = await newClient();
  expect((await gate.fetch('/things', init)).status).toBe(200);
  expect(received).toHaveLength(made);
  expect(new Set(received.map(({ key }) => key)).size).toBe(1);
});

test.each<[string, Answer[], RequestInit & { isSignedIn?: boolean }, string]>([
  ['a write without a key', ['lost'], { method: 'PATCH', body: '{}' }, 'unreachable'],
  ['a write without a bearer', ['lost'], { ...created, isSignedIn: false }, 'unreachable'],
  ['a read that would wait too long', [[429, { 'retry-after': '11' }]], {}, 'unexpected'],
  ['a read at 429 without Retry-After', [[429]], {}, 'unexpected'],
  ['a read at 500', [[500]], {}, 'unexpected'],
])('%s is made once', async (_, lost, { isSignedIn = true, ...init }, reason) => {
  answers.push(...lost);
  const gate = await newClient({ isSignedIn });
  await expect(gate.fetch('/things', init)).rejects.toMatchObject({ reason });
  expect(received).toHaveLength(1);
});

describe('a key', () => {
  test('is the same when a person repeats a call whose answer was lost, and then a new one', async () => {
    const gate = await newClient({ retries: 0 });
    answers.push('lost');
    await expect(gate.fetch('/things', created)).rejects.toMatchObject({ reason: 'unreachable' });
    await gate.fetch('/things', created);
    await gate.fetch('/things', created);
    const [first, again, later] = received.map(({ key }) => key);
    expect(first).toMatch(/^[\x21-\x7e]{1,255}$/);
    expect(again).toBe(first);
    expect(later).not.toBe(first);
  });
});

test('a call that takes too long is unreachable, and one that the caller aborts is aborted', async () => {
  const hanging: typeof fetch = (_, init) =>
    new Promise((_, reject) => {
      const { signal } = init ?? {};
      if (signal?.aborted) reject(signal.reason);
      signal?.addEventListener('abort', () => reject(signal.reason));
    });
  const gate = await newClient({ fetch: hanging, timeout: 1, retries: 0 });
  await expect(gate.fetch('/things')).rejects.toMatchObject({ reason: 'unreachable' });
  const controller = new AbortController();
  const call = (await newClient({ fetch: hanging })).fetch('/things', {
    signal: controller.signal,
  });
  controller.abort(new Error('the page is left'));
  await expect(call).rejects.toThrow('the page is left');
});
