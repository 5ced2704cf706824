import { authorizationCodeGrant, buildAuthorizationUrl } from 'openid-client';
import { MockAgent } from 'undici';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { clientOf } from '../../../packages/sso/oidc/client.ts';
import { discover } from '../../../packages/sso/oidc/discovery.ts';
import { DEFAULT_LIMITS } from '../../../packages/sso/oidc/limits.ts';
import type { OidcConnection, OidcOptions } from '../../../packages/sso/oidc/options.ts';
import { refusalOf } from '../../../packages/sso/oidc/refusal-of.ts';

const ISSUER = 'https://idp.example';
const agent = new MockAgent();
agent.disableNetConnect();
const options = {
  ...DEFAULT_LIMITS,
  outbound: { agent, agentFor: () => agent },
  now: Date.now,
} as unknown as OidcOptions;
const connection = {
  connection_id: 'connection',
  oidc: { issuer: ISSUER, client_id: 'gatehouse', client_secret: null },
} as OidcConnection;

let document: Record<string, unknown>;
beforeEach(() => {
  document = {
    issuer: ISSUER,
    authorization_endpoint: `${ISSUER}/auth`,
    token_endpoint: `${ISSUER}/token`,
    jwks_uri: `${ISSUER}/jwks`,
  };
  agent
    .get(ISSUER)
    .intercept({ path: '/.well-known/openid-configuration' })
    .reply(200, () => document, { headers: { 'content-type': 'application/json' } });
});
afterAll(() => agent.close());

/** The words for the operator. */
const detailOf = (error: unknown) => (refusalOf(error) as { detail?: string }).detail;

test('a provider with TLS is never sent to without it', async () => {
  document.authorization_endpoint = 'http://idp.example/auth';
  const { metadata } = await discover(options, ISSUER);
  expect(() => buildAuthorizationUrl(clientOf(options, connection, metadata), {})).toThrow(/HTTPS/);
});

test('a code never goes to a token endpoint without TLS', async () => {
  document.token_endpoint = 'http://idp.example/token';
  const { metadata } = await discover(options, ISSUER);
  const answer = new URL('https://gate.example/oauth/callback?code=secret&state=s');
  const grant = authorizationCodeGrant(clientOf(options, connection, metadata), answer, {
    expectedState: 's',
  });
  expect(await grant.catch(detailOf)).toMatch(/HTTPS/);
});

test('keys are never read without TLS', async () => {
  document.jwks_uri = 'http://idp.example/jwks';
  const { keys } = await discover(options, ISSUER);
  expect(await Promise.resolve(keys({ alg: 'RS256' }, { payload: '', signature: '' })).catch(detailOf)).toBe(
    'the discovery document has no valid jwks_uri',
  );
});
