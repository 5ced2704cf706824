import { afterAll, beforeAll, expect, test } from 'vitest';
import { send } from '../../fixtures/http.ts';
import { member } from '../../fixtures/members.ts';
import { type Services, startServices } from '../../fixtures/services.ts';

let services: Services;
beforeAll(async () => {
  services = await startServices();
});
afterAll(() => services.stop());

test('no account is the command line, whatever its user_id is', async () => {
  const { authorization } = await member(services.db, services.clock, { user_id: 'command line' });
  const url = `${services.user}/api/v1/admin/me`;
  expect((await send(url, { headers: { authorization } })).status).toBe(403);
  expect((await send(url)).status).toBe(401);
  expect((await send(url, { headers: { authorization: 'Bearer command line' } })).status).toBe(401);
});
