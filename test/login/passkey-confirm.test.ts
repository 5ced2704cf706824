import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { failuresAt, outcome } from '../fixtures/envelope.ts';
import { postJson, send } from '../fixtures/http.ts';
import { bearerOf, newMember } from '../fixtures/members.ts';
import { withPasskey } from '../fixtures/passkeys.ts';
import { type Services, startServices } from '../fixtures/services.ts';

let services: Services;
beforeAll(async () => {
  services = await startServices();
});
afterAll(() => services.stop());

const failure = failuresAt(() => services.clock.now());
const optionsFor = async (authorization: string) =>
  (await postJson(`${services.login}/api/v1/auth/confirm/passkey/options`, {}, { authorization })).body;
const confirm = (authorization: string, body: object) =>
  postJson(`${services.login}/api/v1/auth/confirm`, body, { authorization });
/** An operation that needs a fresh session. */
const disable = (authorization: string) =>
  send(`${services.user}/api/v1/users/me/factors/totp`, { method: 'DELETE', headers: { authorization } });

describe('POST /api/v1/auth/confirm', () => {
  test('takes a passkey of the account', async () => {
    const { authenticator, authorization, user_id } = await withPasskey(services);
    services.clock.advance(601);
    const stale = await disable(authorization);
    expect(outcome(stale)).toEqual(
      failure(stale, 403, 'CONFIRMATION_REQUIRED', 'Please confirm that it is you', {
        methods: ['password', 'passkey'],
      }),
    );
    const { passkey_token, options } = await optionsFor(authorization);
    expect(options.allowCredentials).toEqual([
      { id: authenticator.id, type: 'public-key', transports: ['hybrid', 'internal'] },
    ]);
    const answer = await confirm(authorization, { passkey_token, credential: authenticator.get(options) });
    expect(outcome(answer)).toEqual({
      status: 200,
      body: { access_token: expect.any(String), token_type: 'Bearer', expires_in: 1_199, user_id },
    });
    expect((await disable(`Bearer ${answer.body.access_token}`)).status).toBe(404);
  });
});

describe('a confirmation refuses', () => {
  test('the ceremony of another session, of another account, and a used one', async () => {
    const [ada, eve] = [await withPasskey(services), await withPasskey(services)];
    const { passkey_token, options } = await optionsFor(ada.authorization);
    const body = { passkey_token, credential: ada.authenticator.get(options) };
    const other = bearerOf(ada, services.clock.now());
    expect((await confirm(other, body)).status).toBe(400);
    expect((await confirm(eve.authorization, body)).status).toBe(400);
    expect((await confirm(ada.authorization, body)).status).toBe(200);
    expect((await confirm(ada.authorization, body)).status).toBe(400);
  });

  test('the passkey of another account', async () => {
    const [ada, eve] = [await withPasskey(services), await withPasskey(services)];
    const { passkey_token, options } = await optionsFor(ada.authorization);
    const credential = eve.authenticator.get(options);
    expect((await confirm(ada.authorization, { passkey_token, credential })).status).toBe(401);
  });

  test('an account without a passkey has no options', async () => {
    const user = await newMember(services.db);
    const authorization = bearerOf(user, services.clock.now());
    const url = `${services.login}/api/v1/auth/confirm/passkey/options`;
    const refused = await postJson(url, {}, { authorization });
    expect(outcome(refused)).toEqual(
      failure(refused, 404, 'RESOURCE_NOT_FOUND', 'Not found', 'The account has no passkey'),
    );
  });
});
