import { afterAll, beforeAll, expect, test } from 'vitest';
import { send } from '../../fixtures/http.ts';
import { member } from '../../fixtures/members.ts';
import { type Services, startServices } from '../../fixtures/services.ts';

let services: Services;
beforeAll(async () => {
  services = await startServices();
});
afterAll(() => services.stop());

test('include=ways adds the passkeys and links that the account names', async () => {
  const { db, clock, user } = services;
  const at = new Date(clock.now());
  const ada = await member(db, clock, {
    passkeys: ['credential-1'],
    links: ['google:https://accounts.google.com 1'],
  });
  const passkey = {
    passkey_id: 'passkey-1',
    account: ada._id,
    name: 'Phone',
    public_key: '',
    counter: 0,
    synced: true,
    aaguid: '',
    transports: [],
    created_at: at,
  };
  await db.passkeys.insertMany([
    { ...passkey, _id: 'credential-1' },
    { ...passkey, _id: 'credential-2', passkey_id: 'passkey-2' },
  ]);
  const link = { user_id: ada.user_id, email: 'ada@gmail.com', created_at: at };
  await db.loginNames.insertMany([
    { ...link, _id: 'google:https://accounts.google.com 1' },
    { ...link, _id: 'google:https://accounts.google.com 2' },
  ]);
  const headers = { authorization: ada.authorization };
  const factors = {
    totp: null,
    recovery_codes_left: 0,
    reset_at: null,
    password: { set: true, allowed: true },
  };
  expect((await send(`${user}/api/v1/users/me/factors`, { headers })).body).toEqual(factors);
  expect((await send(`${user}/api/v1/users/me/factors?include=ways`, { headers })).body).toEqual({
    ...factors,
    passkeys: [
      {
        passkey_id: 'passkey-1',
        name: 'Phone',
        device_family: 'synced',
        provider: null,
        created_at: at.toISOString(),
        last_used_at: null,
      },
    ],
    links: [
      {
        link_id: expect.stringMatching(/^[\w-]{22}$/),
        provider: 'google',
        email: 'ada@gmail.com',
        created_at: at.toISOString(),
        last_login_at: null,
      },
    ],
  });
  expect((await send(`${user}/api/v1/users/me/factors?include=all`, { headers })).status).toBe(400);
});
