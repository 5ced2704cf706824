import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { softwareAuthenticator } from '../../fixtures/authenticator.ts';
import { outcome } from '../../fixtures/envelope.ts';
import { decodeToken } from '../../fixtures/http.ts';
import { member } from '../../fixtures/members.ts';
import { logIn, logInDirect, register } from '../../fixtures/passkeys.ts';
import { type Services, startServices } from '../../fixtures/services.ts';

let services: Services;
beforeAll(async () => {
  services = await startServices();
});
afterAll(() => services.stop());

const newCaller = (fields = {}) => member(services.db, services.clock, fields);

describe('a new passkey', () => {
  test('logs in at both contracts', async () => {
    const ada = await newCaller();
    const authenticator = softwareAuthenticator();
    const answer = await register(services, { authorization: ada.authorization }, authenticator);
    expect(outcome(answer)).toEqual({
      status: 201,
      body: {
        passkey_id: expect.any(String),
        name: 'Phone',
        device_family: 'synced',
        provider: null,
        created_at: new Date(services.clock.now()).toISOString(),
        last_used_at: null,
      },
    });
    const login = await logIn(services, authenticator);
    expect(outcome(login)).toEqual({
      status: 200,
      body: {
        access_token: expect.any(String),
        token_type: 'Bearer',
        expires_in: 3600,
        user_id: ada.user_id,
      },
    });
    expect(decodeToken(login.body.access_token).payload.email).toBe(ada.email);
    expect(outcome(await logInDirect(services, authenticator))).toEqual({
      status: 200,
      body: { message: 'Login successful', token: expect.any(String), user_id: ada.user_id },
    });
  });
});
