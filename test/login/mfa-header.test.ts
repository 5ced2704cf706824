import { afterAll, beforeAll, expect, test } from 'vitest';
import { enrolled } from '../fixtures/enrolled.ts';
import { type Answered, decodeToken, postForm, postJson } from '../fixtures/http.ts';
import { newMember } from '../fixtures/members.ts';
import { logIn, logInDirect, withPasskey } from '../fixtures/passkeys.ts';
import { mailedCode, type Services, startServices } from '../fixtures/services.ts';

let services: Services;
beforeAll(async () => {
  services = await startServices({ env: { LOGIN_BY_CODE: 'on' } });
});
afterAll(() => services.stop());

const tokenOf = ({ status, body }: Answered): string => {
  expect(status).toBe(200);
  return body.token ?? body.access_token;
};
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const PASSWORD = 'secret';
const newEnrolled = () => enrolled(services.db, services.clock);

const direct = (email: string) => postForm(`${services.login}/v2/login`, { email, password: PASSWORD });
const catalogue = (email: string) =>
  postJson(`${services.login}/api/v1/auth/login`, { email, password: PASSWORD });
const directFactor = (half: Answered, code: string) =>
  postForm(`${services.login}/v2/login/factor`, { factor_token: half.body.factor_token, code });
const catalogueFactor = (half: Answered, code: string) =>
  postJson(`${services.login}/api/v1/auth/login/factor`, {
    factor_token: half.body.error.details.factor_token,
    code,
  });
const byCode = async (email: string) => {
  const { token } = (await postJson(`${services.user}/api/v1/auth/login/code`, { email })).body;
  const find = () => mailedCode(services.mailbox, email);
  await expect.poll(find, { timeout: 30_000 }).toMatch(/^\d{6}$/);
  return postJson(`${services.user}/api/v1/auth/login/code/verify`, { email, code: find(), token });
};
const confirm = (token: string, body: object) =>
  postJson(`${services.login}/api/v1/auth/confirm`, body, bearer(token));

/** Each way to begin or to strengthen a session, and whether its person has presented a second factor or a passkey. */
const WAYS: [way: string, mfa: true | undefined, log: () => Promise<Answered>][] = [
  ['a password at the Direct contract', undefined, async () => direct((await newMember(services.db)).email)],
  ['a password at the catalogue', undefined, async () => catalogue((await newMember(services.db)).email)],
  ['a mailed code', undefined, async () => byCode((await newMember(services.db)).email)],
  [
    'a password and a code of the app, Direct',
    true,
    async () => {
      const { email, code } = await newEnrolled();
      return directFactor(await direct(email), code());
    },
  ],
  [
    'a password and a code of the app, catalogue',
    true,
    async () => {
      const { email, code } = await newEnrolled();
      return catalogueFactor(await catalogue(email), code());
    },
  ],
  [
    'a password and a recovery code',
    true,
    async () => {
      const { email, recoveryCodes } = await newEnrolled();
      return catalogueFactor(await catalogue(email), recoveryCodes[0] as string);
    },
  ],
  [
    'a mailed code and a code of the app',
    true,
    async () => {
      const { email, code } = await newEnrolled();
      return catalogueFactor(await byCode(email), code());
    },
  ],
  ['a passkey', true, async () => logIn(services, (await withPasskey(services)).authenticator)],
  ['a passkey, Direct', true, async () => logInDirect(services, (await withPasskey(services)).authenticator)],
  [
    'a password that is confirmed with the password',
    undefined,
    async () => {
      const token = tokenOf(await direct((await newMember(services.db)).email));
      return confirm(token, { password: PASSWORD });
    },
  ],
  [
    'a password that is confirmed with a code of the app',
    true,
    async () => {
      const { _id, email } = await newMember(services.db);
      const token = tokenOf(await direct(email));
      const { second_factor, code } = await newEnrolled();
      if (second_factor) await services.db.users.updateOne({ _id }, { $set: { second_factor } });
      return confirm(token, { code: code() });
    },
  ],
];

test.each(WAYS)('the token after %s has mfa: %s, also after a refresh', async (_, mfa, log) => {
  let token = tokenOf(await log());
  expect(decodeToken(token).header.mfa).toBe(mfa);
  for (const path of ['/auth/refresh', '/api/v1/auth/refresh']) {
    token = tokenOf(await postJson(`${services.login}${path}`, {}, bearer(token)));
    expect(decodeToken(token).header.mfa).toBe(mfa);
  }
});
