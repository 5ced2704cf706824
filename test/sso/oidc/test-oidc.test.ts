import { createOutbound } from '@gatehouse/shared/outbound/outbound';
import { afterAll, expect, test } from 'vitest';
import type { SsoOptions } from '../../../packages/sso/dependencies.ts';
import { testOidc } from '../../../packages/sso/diagnosis/oidc.ts';
import { testConfig } from '../../fixtures/services.ts';
import type { OidcService } from './oidc-service.ts';
import { type Lies, newKey, type Provider, sendJson } from './provider.ts';
import { type WithProvider, withProvider } from './with-provider.ts';

let service: OidcService;
let provider: Provider;
let organization: WithProvider['organization'];
withProvider((started) => {
  ({ service, provider, organization } = started);
});
const config = testConfig('user', {
  PUBLIC_URL: 'https://gate.example',
  SSO_ALLOWED_NETWORKS: '127.0.0.0/8',
});
const outbound = createOutbound(config);
afterAll(() => outbound.close());

/** Returns the findings by their check. */
async function findings(...fields: [Parameters<OidcService['connect']>[2]?]) {
  const connection = await service.connect(organization, provider, ...fields);
  // The clock of the provider's HTTP server is the real one.
  const options = { ...service, config, outbound, now: Date.now } as unknown as SsoOptions;
  const found = await testOidc(options, connection);
  return Object.fromEntries(found.map(({ check, level, message }) => [check, `${level}: ${message}`]));
}

const from = (document: Record<string, unknown>): Lies => ({
  discovery: (honest) => ({ ...honest, ...document }),
});

test('finds nothing wrong with an honest provider', async () => {
  provider.lies = from({
    scopes_supported: ['openid', 'email', 'profile'],
    claims_supported: ['email', 'email_verified', 'firstName', 'lastName', 'role', 'department'],
    backchannel_logout_supported: true,
  });
  const found = await findings({ slug: 'corp' });
  expect(found).toEqual({
    Discovery: `ok: ${provider.issuer} publishes its endpoints.`,
    Encryption:
      'warning: The provider is reached without TLS, so others in the network can log in as anybody.',
    Clock: expect.stringMatching(/^(?:ok|warning): /),
    'Signing keys': 'ok: The provider publishes keys for RS256.',
    'Client credentials': 'ok: The provider accepts the client and its secret.',
    'Redirect URI':
      'ok: Register https://gate.example/oauth/callback at the provider, and no other address of this service.',
    PKCE: 'ok: The provider checks PKCE with S256.',
    Scopes: 'ok: The provider accepts the scopes openid, email and profile, or does not list any.',
    Attributes: 'ok: The provider announces every claim of the connection.',
    'Back-channel logout':
      'ok: Register https://gate.example/oauth/backchannel-logout/corp at the provider to end sessions from there.',
  });
});

test('names the redirect URI of a connection with a callback of its own', async () => {
  provider.lies = from({ authorization_response_iss_parameter_supported: undefined });
  const found = await findings({ slug: 'own', oidc: { own_callback: true } });
  expect(found['Redirect URI']).toMatch(/^ok: Register https:\/\/gate\.example\/oauth\/callback\/own /);
});

test('does not report what the provider announces once a login has shown what it sends', async () => {
  provider.lies = from({ claims_supported: ['sub'] });
  expect((await findings()).Attributes).toMatch(/^warning: .* firstName.* log in, and test again\.$/);
  expect(await findings({ missing_attributes: ['role'] })).not.toHaveProperty('Attributes');
});

test.each<[string, () => Lies | Promise<Lies>, string, RegExp]>([
  [
    'discovery that answers 404',
    () => ({
      paths: {
        '/.well-known/openid-configuration': (_request, response) => void response.writeHead(404).end(),
      },
    }),
    'Discovery',
    /^error: .*\/openid-configuration: the response has status 404\.$/,
  ],
  [
    'discovery of another issuer',
    () => from({ issuer: `${provider.issuer}/` }),
    'Discovery',
    /^error: .* is that of http:\/\/127\.0\.0\.1:\d+\/\.$/,
  ],
  [
    'an address that is not public',
    () => from({ jwks_uri: 'http://10.0.0.1/keys' }),
    'Signing keys',
    /^error: .*not public/,
  ],
  [
    'keys of another kind',
    async () => {
      const { jwk } = await newKey('ES256');
      return { paths: { '/jwks': (_request, response) => sendJson(response, { keys: [jwk] }) } };
    },
    'Signing keys',
    /^error: .*no applicable key/,
  ],
  [
    'a wrong client secret',
    () => ({
      paths: {
        '/token': (_request, response) =>
          sendJson(response, { error: 'invalid_client', error_description: 'wrong secret' }, 401),
      },
    }),
    'Client credentials',
    /^error: .*invalid_client: wrong secret/,
  ],
  [
    'a token endpoint that fails',
    () => ({ paths: { '/token': (_request, response) => void response.writeHead(500).end() } }),
    'Client credentials',
    /^warning: .*status 500/,
  ],
  [
    'a provider that does not name itself',
    () => from({ authorization_response_iss_parameter_supported: undefined }),
    'Redirect URI',
    /^error: /,
  ],
  ['no PKCE', () => from({ code_challenge_methods_supported: ['plain'] }), 'PKCE', /^warning: /],
  ['a missing scope', () => from({ scopes_supported: ['openid'] }), 'Scopes', /^warning: .*email, profile/],
  [
    'a missing claim',
    () => from({ claims_supported: ['email', 'email_verified', 'firstName', 'lastName'] }),
    'Attributes',
    /^warning: .*role, department/,
  ],
  ['no back-channel logout', () => from({}), 'Back-channel logout', /^warning: /],
  [
    'a clock that is wrong',
    () => ({
      paths: {
        '/.well-known/openid-configuration': (_request, response) => {
          const date = new Date(Date.now() - 3_600_000).toUTCString();
          response.writeHead(200, { 'content-type': 'application/json', date });
          response.end(
            JSON.stringify({
              issuer: provider.issuer,
              token_endpoint: `${provider.issuer}/token`,
              jwks_uri: `${provider.issuer}/jwks`,
            }),
          );
        },
      },
    }),
    'Clock',
    /^error: The provider's clock is 3\d{3} seconds behind/,
  ],
])('names %s', async (_name, lies, check, message) => {
  provider.lies = await lies();
  expect((await findings())[check]).toMatch(message);
});
