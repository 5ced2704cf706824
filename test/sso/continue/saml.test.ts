import { afterAll, beforeAll, expect, test } from 'vitest';
import { postJson, send } from '../../fixtures/http.ts';
import { toBase64 } from '../../fixtures/saml-provider.ts';
import { type SamlService, startSamlService } from '../saml/saml-service.ts';
import { callsWith } from './sessions.ts';

let service: SamlService;
let calls: ReturnType<typeof callsWith>;
beforeAll(async () => {
  service = await startSamlService();
  calls = callsWith(service);
});
afterAll(() => service.stop());

/** Logs in. @param seconds until SessionNotOnOrAfter; undefined for a provider that sends none. */
async function token(seconds?: number): Promise<{ access_token: string; expires_in: number }> {
  const { begin, fieldsFor, signedResponse, post, clock } = service;
  const begun = await begin();
  const end = new Date(clock.now() + Number(seconds ?? 0) * 1000).toISOString();
  const edit = (xml: string) =>
    seconds === undefined
      ? xml
      : xml.replace('<saml:AuthnStatement', `<saml:AuthnStatement SessionNotOnOrAfter="${end}"`);
  const SAMLResponse = toBase64(signedResponse(fieldsFor(begun, { edit })));
  const headers = { accept: 'application/json', cookie: begun.cookie };
  const { body } = await post({ SAMLResponse, RelayState: begun.relayState }, headers);
  const { cookie } = begun;
  return (await postJson(`${service.url}/api/v1/auth/sso/exchange`, { code: body.code }, { cookie })).body;
}

test('a session ends at SessionNotOnOrAfter, give or take a minute', async () => {
  const first = await token(5_400);
  expect(first.expires_in).toBe(3_600);
  service.clock.advance(3_000);
  const second = await calls.refresh(first.access_token);
  expect(second.body.expires_in).toBeLessThanOrEqual(2_460);
  expect(second.body.expires_in).toBeGreaterThan(2_400);
  service.clock.advance(2_450);
  const third = await calls.refresh(second.body.access_token);
  expect(third.body.expires_in ?? 0).toBeLessThanOrEqual(10);
  service.clock.advance(11);
  expect((await calls.refresh(second.body.access_token)).status).toBe(401);
  expect(await calls.status(second.body.access_token)).toBe(401);
});

test('the first token ends with a session that is shorter than an hour', async () => {
  const { expires_in } = await token(600);
  expect(expires_in).toBeLessThanOrEqual(660);
  expect(expires_in).toBeGreaterThan(600);
});

test('a session without SessionNotOnOrAfter needs a new login after SSO_SESSION_HOURS', async () => {
  let { access_token } = await token();
  for (let hour = 0; hour < 8; hour += 1) {
    service.clock.advance(3_590);
    access_token = (await calls.refresh(access_token)).body.access_token;
  }
  service.clock.advance(81);
  const { status, body } = await calls.refresh(access_token);
  expect({ status, text: body.error.message }).toEqual({ status: 401, text: 'Token expired' });
});

test('the question of the login service needs the token of the session', async () => {
  const { access_token } = await token();
  const ask = (headers: Record<string, string>) =>
    send(`${service.url}/internal/sso/session/check`, { method: 'POST', headers });
  expect((await ask({})).status).toBe(401);
  const { status, body } = await ask({ authorization: `Bearer ${access_token}` });
  expect({ status, body }).toEqual({
    status: 200,
    body: {
      verdict: 'continues',
      until: expect.any(Number),
      grace: false,
      connection_id: service.connection.connection_id,
      organization_id: service.connection.organization_id,
    },
  });
});
