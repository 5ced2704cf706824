import { errors } from 'jose';
import { authorizationCodeGrant, ResponseBodyError, type ServerMetadata } from 'openid-client';
import type { Connection } from '../connection-records.ts';
import type { SsoOptions } from '../dependencies.ts';
import { callbackUrl, namesIssuer } from '../oidc/callback-url.ts';
import { configurationOf } from '../oidc/configuration.ts';
import { discover, type Provider } from '../oidc/discovery.ts';
import { clientOf } from '../oidc/oidc-client.ts';
import {
  asOidc,
  CLOCK_TOLERANCE,
  type OidcConnection,
  type OidcOptions,
  trusting,
  withLimits,
} from '../oidc/options.ts';
import { refusalOf } from '../oidc/refusal-of.ts';
import { SsoRefusal } from '../refusal.ts';
import type { Finding } from './finding.ts';

/** Diagnoses a connection, as far as that works without a login. */
export async function testOidc(ssoOptions: SsoOptions, tested: Connection): Promise<Finding[]> {
  const options = withLimits(ssoOptions);
  const connection = asOidc(tested);
  const { issuer } = connection.oidc;
  let provider: Provider;
  try {
    provider = await discover(trusting(options, connection.oidc), { issuer });
  } catch (error) {
    const message = `The discovery document of ${issuer} cannot be used: ${detailOf(error)}.`;
    return [{ level: 'error', check: 'Discovery', message }];
  }
  return [
    { level: 'ok', check: 'Discovery', message: `${issuer} publishes its endpoints.` },
    encryption(connection),
    clock(provider),
    await keys(provider),
    await credentials(options, connection, provider.metadata),
    callback(options, connection, provider.metadata),
    pkce(provider.metadata),
    scopes(provider.metadata),
    // A login shows what the provider sends; what it announces may be incomplete (Discovery 1.0 §3).
    ...(connection.missing_attributes ? [] : [claims(connection, provider.metadata)]),
    backChannelLogout(options, connection, provider.metadata),
  ];
}

function detailOf(error: unknown): string {
  const refusal = refusalOf(error);
  if (refusal instanceof SsoRefusal) return refusal.detail;
  throw error;
}

function encryption({ oidc }: OidcConnection): Finding {
  const check = 'Encryption';
  return oidc.issuer.startsWith('https:')
    ? { level: 'ok', check, message: 'The provider is reached with TLS.' }
    : {
        level: 'warning',
        check,
        message: 'The provider is reached without TLS, so others in the network can log in as anybody.',
      };
}

function clock({ ahead }: Provider): Finding {
  const check = 'Clock';
  if (ahead === undefined)
    return {
      level: 'warning',
      check,
      message: 'The provider does not say what time it is, so its clock was not compared.',
    };
  const seconds = Math.round(Math.abs(ahead) / 1000);
  // The header counts whole seconds.
  if (seconds <= 2) return { level: 'ok', check, message: 'The clocks agree.' };
  return {
    level: seconds > CLOCK_TOLERANCE ? 'error' : 'warning',
    check,
    message: `The provider's clock is ${seconds} seconds ${ahead > 0 ? 'ahead' : 'behind'}; up to ${CLOCK_TOLERANCE} are tolerated.`,
  };
}

async function keys({ keys, metadata }: Provider): Promise<Finding> {
  const check = 'Signing keys';
  const [alg = ''] = metadata.id_token_signing_alg_values_supported ?? [];
  try {
    await keys({ alg }, { payload: '', signature: '' });
  } catch (error) {
    // More keys than one fit where the token's header names none.
    if (!(error instanceof errors.JWKSMultipleMatchingKeys))
      return {
        level: 'error',
        check,
        message: `The keys of the provider cannot be used: ${detailOf(error)}.`,
      };
  }
  return { level: 'ok', check, message: `The provider publishes keys for ${alg}.` };
}

/** Offers a code that does not exist: a provider that refuses the code has accepted the client. */
async function credentials(
  options: OidcOptions,
  connection: OidcConnection,
  metadata: ServerMetadata,
): Promise<Finding> {
  const check = 'Client credentials';
  const answer = callbackUrl(options, connection);
  answer.search = new URLSearchParams({ code: 'test', state: 'test', iss: metadata.issuer }).toString();
  let failure: unknown;
  try {
    const checks = {
      expectedState: 'test',
      pkceCodeVerifier: 'gatehouse-tests-its-credentials-with-this-one',
    };
    await authorizationCodeGrant(
      configurationOf(options, clientOf(options, connection), metadata),
      answer,
      checks,
    );
  } catch (error) {
    failure = error;
  }
  const refused = failure instanceof ResponseBodyError ? failure.error : undefined;
  if (refused === 'invalid_grant')
    return { level: 'ok', check, message: 'The provider accepts the client and its secret.' };
  const detail = failure === undefined ? 'it accepted a code that does not exist' : detailOf(failure);
  if (refused === 'invalid_client' || refused === 'unauthorized_client')
    return { level: 'error', check, message: `The provider refuses the client or its secret: ${detail}.` };
  return { level: 'warning', check, message: `The token endpoint did not answer as expected: ${detail}.` };
}

function callback(options: OidcOptions, connection: OidcConnection, metadata: ServerMetadata): Finding {
  const check = 'Redirect URI';
  if (!connection.oidc.own_callback && !namesIssuer(metadata)) {
    const message =
      'The provider does not name itself in its answers (RFC 9207). Set its issuer again to get a redirect URI of its own.';
    return { level: 'error', check, message };
  }
  const { href } = callbackUrl(options, connection);
  return {
    level: 'ok',
    check,
    message: `Register ${href} at the provider, and no other address of this service.`,
  };
}

function pkce({ code_challenge_methods_supported: methods }: ServerMetadata): Finding {
  const check = 'PKCE';
  return listed(methods).includes('S256')
    ? { level: 'ok', check, message: 'The provider checks PKCE with S256.' }
    : { level: 'warning', check, message: 'The provider does not announce PKCE with S256.' };
}

function scopes({ scopes_supported: supported }: ServerMetadata): Finding {
  const check = 'Scopes';
  const missing = Array.isArray(supported)
    ? ['openid', 'email', 'profile'].filter((scope) => !supported.includes(scope))
    : [];
  return missing.length === 0
    ? {
        level: 'ok',
        check,
        message: 'The provider accepts the scopes openid, email and profile, or does not list any.',
      }
    : {
        level: 'warning',
        check,
        message: `The provider does not announce the scopes ${missing.join(', ')}.`,
      };
}

function claims({ attributes }: OidcConnection, { claims_supported: supported }: ServerMetadata): Finding {
  const check = 'Attributes';
  if (!Array.isArray(supported))
    return { level: 'warning', check, message: 'The provider does not announce which claims it sends.' };
  const missing = [...Object.values(attributes), 'email_verified'].filter(
    (name) => !supported.includes(name),
  );
  return missing.length === 0
    ? { level: 'ok', check, message: 'The provider announces every claim of the connection.' }
    : {
        level: 'warning',
        check,
        message: `The provider does not announce the claims ${missing.join(', ')}. It may send them nevertheless: log in, and test again.`,
      };
}

function backChannelLogout(
  { config }: OidcOptions,
  { slug }: OidcConnection,
  { backchannel_logout_supported: supported }: ServerMetadata,
): Finding {
  const check = 'Back-channel logout';
  const address = `${config.PUBLIC_URL}/oauth/backchannel-logout/${slug}`;
  return supported === true
    ? { level: 'ok', check, message: `Register ${address} at the provider to end sessions from there.` }
    : { level: 'warning', check, message: 'The provider does not announce back-channel logout.' };
}

const listed = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
