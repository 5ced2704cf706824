import { AppError } from '@gatehouse/shared/http/errors';
import { jsonBody } from '@gatehouse/shared/http/fields';
import type { z } from 'zod';
import type { Connection, OidcSettings } from '../connection-records.ts';
import type { SsoOptions } from '../dependencies.ts';
import { namesIssuer } from '../oidc/callback-url.ts';
import { discover } from '../oidc/discovery.ts';
import { trusting, withLimits } from '../oidc/options.ts';
import { SsoRefusal } from '../refusal.ts';
import { readCertificates } from './certificates.ts';
import { pem, printable, url } from './fields.ts';
import { checkDialedUrl } from './provider-url.ts';

/** The settings that a caller gives. */
export const oidcInput = jsonBody({
  issuer: url
    .exactOptional()
    .meta({ description: 'As in its ID tokens; its discovery document is read now' }),
  client_id: printable(512).exactOptional(),
  client_secret: printable(1_024)
    .nullable()
    .exactOptional()
    .meta({ description: 'Null for a public client; never returned' }),
  ca: pem
    .nullable()
    .exactOptional()
    .meta({ description: 'Certificates in PEM that vouch for the provider, instead of those of the system' }),
});
type OidcInput = z.infer<typeof oidcInput>;

/** @param before the settings that the input changes; absent for a new connection. */
export async function oidcSettings(
  options: SsoOptions,
  { connection_id }: Pick<Connection, 'connection_id'>,
  given: OidcInput,
  before?: OidcSettings,
): Promise<OidcSettings> {
  const issuer = given.issuer ?? before?.issuer;
  const client_id = given.client_id ?? before?.client_id;
  if (issuer === undefined) throw new AppError('missingField', { text: 'oidc.issuer is required' });
  if (client_id === undefined) throw new AppError('missingField', { text: 'oidc.client_id is required' });
  const { client_secret } = given;
  // The secret of one provider must not reach another.
  const ca = given.ca ? readCertificates(given.ca, 'oidc.ca', options.now()).join('') : given.ca;
  const trusted = ca === undefined ? (before?.ca ?? null) : ca;
  const isMoved = before !== undefined && (issuer !== before.issuer || trusted !== (before.ca ?? null));
  if (isMoved && before.client_secret !== null && client_secret === undefined)
    throw new AppError('missingField', { text: 'oidc.client_secret is required with another issuer or ca' });
  return {
    issuer,
    client_id,
    client_secret:
      client_secret === undefined
        ? (before?.client_secret ?? null)
        : client_secret && options.secrets.seal(client_secret, connection_id),
    ...(trusted !== null && { ca: trusted }),
    own_callback: await (given.issuer === undefined && ca === undefined && before
      ? (before.own_callback ?? false)
      : needsOwnCallback(options, issuer, trusted)),
  };
}

/** The parts of a discovery document that a login needs besides those that `discover` checks. */
const REQUIRED = ['authorization_endpoint', 'token_endpoint', 'jwks_uri'] as const;

/** A provider that does not name itself in its answers (RFC 9207) gets a callback of its own. */
async function needsOwnCallback(options: SsoOptions, issuer: string, ca: string | null): Promise<boolean> {
  await checkDialedUrl(options, issuer, 'oidc.issuer');
  try {
    const { metadata } = await discover(trusting(withLimits(options), { ca }), { issuer });
    const missing = REQUIRED.filter((name) => typeof metadata[name] !== 'string');
    if (missing.length > 0)
      throw new SsoRefusal('message malformed', `the discovery document lacks ${missing.join(', ')}`);
    return !namesIssuer(metadata);
  } catch (error) {
    if (!(error instanceof SsoRefusal)) throw error;
    throw new AppError('invalidFormat', {
      text: `oidc.issuer cannot be used: ${error.detail}`,
      cause: error,
    });
  }
}
