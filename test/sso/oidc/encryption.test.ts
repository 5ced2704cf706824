import { authorizationCodeGrant, buildAuthorizationUrl, None } from 'openid-client';
import { MockAgent } from 'undici';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { configurationOf } from '../../../packages/sso/oidc/configuration.ts';
import { discover } from '../../../packages/sso/oidc/discovery.ts';
import { DEFAULT_LIMITS } from '../../../packages/sso/oidc/limits.ts';
import type { OidcClient } from '../../../packages/sso/oidc/oidc-client.ts';
import type { OidcOptions } from '../../../packages/sso/oidc/options.ts';
import { refusalOf } from '../../../packages/sso/oidc/refusal-of.ts';

const ISSUER = 'https://idp.example';
const agent = new MockAgent();
agent.disableNetConnect();
const options = {
  ...DEFAULT_LIMITS,
  outbound: { agent, agentFor: () => agent },
  now: Date.now,
} as unknown as OidcOptions;
const client: OidcClient = {
  id: 'connection',
  version: 1,
  issuer: ISSUER,
  client_id: 'gatehouse',
  authentication: () => None(),
};

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
  const { metadata } = await discover(options, client);
  expect(() => buildAuthorizationUrl(configurationOf(options, client, metadata), {})).toThrow(/HTTPS/);
});

test('a code never goes to a token endpoint without TLS', async () => {
  document.token_endpoint = 'http://idp.example/token';
  const { metadata } = await discover(options, client);
  const answer = new URL('https://gate.example/oauth/callback?code=secret&state=s');
  const grant = authorizationCodeGrant(configurationOf(options, client, metadata), answer, {
    expectedState: 's',
  });
  expect(await grant.catch(detailOf)).toMatch(/HTTPS/);
});

test('keys are never read without TLS', async () => {
  document.jwks_uri = 'http://idp.example/jwks';
  const { keys } = await discover(options, client);
  expect(await Promise.resolve(keys({ alg: 'RS256' }, { payload: '', signature: '' })).catch(detailOf)).toBe(
    'the discovery document has no valid jwks_uri',
  );
});
