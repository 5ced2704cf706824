import { storedPassword } from '@gatehouse/shared/identity/passwords';
import type { User } from '@gatehouse/shared/identity/users';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { postForm, send } from '../fixtures/http.ts';
import { type Services, startServices } from '../fixtures/services.ts';

let services: Services;
beforeAll(async () => {
  services = await startServices();
  const password = await storedPassword('secret', 'argon2id');
  const ada = { email: 'ada@example.com', password, verified: true, user_id: 'User-100001' };
  await services.db.users.insertOne(ada as unknown as User);
});
afterAll(() => services.stop());

const login = async () => {
  const { status, body } = await postForm(`${services.login}/v2/login`, {
    email: 'ada@example.com',
    password: 'secret',
  });
  return { status, body };
};

test('a flood of logins is 503 for what is too much, and the service keeps answering', {
  timeout: 60_000,
}, async () => {
  const flood = Promise.all(Array.from({ length: 600 }, login));
  let over = false;
  const done = flood.finally(() => {
    over = true;
  });
  let probes = 0;
  let slowest = 0;
  while (!over) {
    const began = performance.now();
    const { status, body } = await send(`${services.login}/health/live`);
    slowest = Math.max(slowest, performance.now() - began);
    expect({ status, body }).toEqual({ status: 200, body: { status: 'ok' } });
    probes += 1;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  const answers = await done;
  const refused = answers.filter(({ status }) => status === 503);
  const granted = answers.filter(({ status }) => status === 200);
  expect(refused.length).toBeGreaterThan(0);
  expect(refused).toEqual(
    Array(refused.length).fill({ status: 503, body: { detail: 'Service unavailable' } }),
  );
  expect(granted.length).toBe(600 - refused.length);
  expect(granted.length).toBeGreaterThan(100);
  expect(probes).toBeGreaterThan(5);
  expect(slowest).toBeLessThan(2_000);
  expect((await login()).status).toBe(200);
});
