import { AppError } from '@gatehouse/shared/http/errors';
import { jsonBody } from '@gatehouse/shared/http/fields';
import type { z } from 'zod';
import { namesIssuer } from '../oidc/callback-url.ts';
import { discover } from '../oidc/discovery.ts';
import { withLimits } from '../oidc/options.ts';
import type { SsoOptions } from '../options.ts';
import type { Connection, OidcSettings } from '../records.ts';
import { SsoRefusal } from '../refusal.ts';
import { printable, url } from './fields.ts';
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
  const isMoved = before !== undefined && issuer !== before.issuer;
  if (isMoved && before.client_secret !== null && client_secret === undefined)
    throw new AppError('missingField', { text: 'oidc.client_secret is required with another issuer' });
  return {
    issuer,
    client_id,
    client_secret:
      client_secret === undefined
        ? (before?.client_secret ?? null)
        : client_secret && options.secrets.seal(client_secret, connection_id),
    own_callback: await (given.issuer === undefined && before
      ? (before.own_callback ?? false)
      : needsOwnCallback(options, issuer)),
  };
}

/** What a login needs of a discovery document, beyond what reading it checks. */
const REQUIRED = ['authorization_endpoint', 'token_endpoint', 'jwks_uri'] as const;

/** A provider that does not name itself in its answers (RFC 9207) gets a callback of its own. */
async function needsOwnCallback(options: SsoOptions, issuer: string): Promise<boolean> {
  await checkDialedUrl(options, issuer, 'oidc.issuer');
  try {
    const { metadata } = await discover(withLimits(options), issuer);
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
