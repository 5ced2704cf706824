import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { softwareAuthenticator } from '../fixtures/authenticator.ts';
import { enrolled } from '../fixtures/enrolled.ts';
import { failuresAt, outcome } from '../fixtures/envelope.ts';
import { postForm, postJson } from '../fixtures/http.ts';
import { bearerOf } from '../fixtures/members.ts';
import { loginOptions, register, withPasskey } from '../fixtures/passkeys.ts';
import { type Services, startServices } from '../fixtures/services.ts';

let services: Services;
beforeAll(async () => {
  services = await startServices();
});
afterAll(() => services.stop());

const failure = failuresAt(() => services.clock.now());
/** An account with an authenticator app and a passkey. */
async function newPerson(fields: object = {}) {
  const user = await enrolled(services.db, services.clock, fields);
  const authenticator = softwareAuthenticator();
  services.clock.advance(1);
  const authorization = bearerOf(user, services.clock.now());
  const { status } = await register(services, { authorization }, authenticator);
  if (status !== 201) throw new Error(`the registration answered ${status}`);
  return { ...user, authenticator };
}
/** The details of half a login. */
const halfOf = async (email: string) =>
  (await postJson(`${services.login}/api/v1/auth/login`, { email, password: 'secret' })).body.error.details;
const complete = (body: object) => postJson(`${services.login}/api/v1/auth/login/factor`, body);

describe('half a login', () => {
  test('is told of the passkey, and completed with it', async () => {
    const { email, authenticator, user_id } = await newPerson();
    const { factor_token, methods } = await halfOf(email);
    expect(methods).toEqual(['totp', 'recovery_code', 'passkey']);
    const { passkey_token, options } = await loginOptions(services, { factor_token });
    expect(options.allowCredentials).toEqual([
      { id: authenticator.id, type: 'public-key', transports: ['hybrid', 'internal'] },
    ]);
    // Whose it is, is known.
    const credential = authenticator.get(options, { userHandle: undefined });
    const body = { factor_token, passkey_token, credential };
    const answer = await complete(body);
    expect(outcome(answer)).toEqual({
      status: 200,
      body: { access_token: expect.any(String), token_type: 'Bearer', expires_in: 3600, user_id },
    });
    expect((await complete(body)).status).toBe(400);
  });

  test('has no options in an account without a passkey', async () => {
    const { email } = await enrolled(services.db, services.clock);
    const { factor_token } = await halfOf(email);
    const url = `${services.login}/api/v1/auth/login/passkey/options`;
    const refused = await postJson(url, { factor_token });
    expect(outcome(refused)).toEqual(
      failure(refused, 404, 'RESOURCE_NOT_FOUND', 'Not found', 'The account has no passkey'),
    );
  });

  test('is completed by forms as well', async () => {
    const { email, authenticator, user_id } = await newPerson();
    const half = await postForm(`${services.login}/v2/login`, { email, password: 'secret' });
    expect(half.body.methods).toEqual(['totp', 'recovery_code', 'passkey']);
    const { factor_token } = half.body;
    const asked = await postForm(`${services.login}/v2/login/passkey/options`, { factor_token });
    const { passkey_token, options } = asked.body;
    const credential = JSON.stringify(authenticator.get(options));
    const answer = await postForm(`${services.login}/v2/login/factor`, {
      factor_token,
      passkey_token,
      credential,
    });
    expect(outcome(answer)).toEqual({
      status: 200,
      body: { message: 'Login successful', token: expect.any(String), user_id },
    });
  });

  test('is not completed by the passkey of another account', async () => {
    const [ada, eve] = [await newPerson(), await withPasskey(services)];
    const { factor_token } = await halfOf(ada.email);
    const { passkey_token, options } = await loginOptions(services, { factor_token });
    const refused = await complete({
      factor_token,
      passkey_token,
      credential: eve.authenticator.get(options),
    });
    expect(outcome(refused)).toEqual(
      failure(refused, 401, 'INVALID_CREDENTIALS', 'The passkey was not accepted'),
    );
  });

  test('is not completed by the ceremony of another half login, or of a login', async () => {
    const { email, authenticator } = await newPerson();
    const first = await halfOf(email);
    services.clock.advance(1);
    const second = await halfOf(email);
    for (const asked of [
      await loginOptions(services, { factor_token: first.factor_token }),
      await loginOptions(services),
    ]) {
      const credential = authenticator.get(asked.options);
      const { passkey_token } = asked;
      const refused = await complete({ factor_token: second.factor_token, passkey_token, credential });
      expect(outcome(refused)).toEqual(
        failure(refused, 400, 'INVALID_FORMAT', 'The request for a passkey has expired, please try again'),
      );
    }
    // Nor is a whole login by the ceremony of half a one.
    const { passkey_token, options } = await loginOptions(services, { factor_token: second.factor_token });
    const credential = authenticator.get(options);
    const whole = await postJson(`${services.login}/api/v1/auth/login/passkey`, {
      passkey_token,
      credential,
    });
    expect(whole.status).toBe(400);
  });

  test.each([
    ['neither code nor passkey', {}, 'MISSING_FIELD', 'code is required'],
    [
      'only the token',
      { passkey_token: 'x' },
      'INVALID_FORMAT',
      'credential and passkey_token belong together',
    ],
  ])('with %s is 400', async (_, body, code, details) => {
    const { email } = await newPerson();
    const { factor_token } = await halfOf(email);
    const refused = await complete({ factor_token, ...body });
    expect([refused.status, refused.body.error.code, refused.body.error.details]).toEqual([
      400,
      code,
      details,
    ]);
  });

  test('with code and passkey is 400', async () => {
    const { email, authenticator, code } = await newPerson();
    const { factor_token } = await halfOf(email);
    const { passkey_token, options } = await loginOptions(services, { factor_token });
    const both = { factor_token, code: code(), passkey_token, credential: authenticator.get(options) };
    expect((await complete(both)).status).toBe(400);
  });
});
