import type { JWK } from 'jose';
import { LRUCache } from 'lru-cache';
import {
  allowInsecureRequests,
  ClientError,
  customFetch,
  discovery,
  None,
  type ServerMetadata,
} from 'openid-client';
import { SsoRefusal } from '../refusal.ts';
import { acceptedAlgorithms } from './algorithms.ts';
import type { OidcClient } from './oidc-client.ts';
import { type OidcOptions, trusting } from './options.ts';
import { objectOf, providerFetch } from './provider-fetch.ts';
import { refusalOf } from './refusal-of.ts';
import { RETRY, remoteKeys, type SigningKeys, signingKeys } from './signing-keys.ts';

/** Milliseconds for which a discovery document and its keys are used. */
const LIFETIME = 300_000;
/** Clients whose documents are kept. */
const MAX_KEPT = 1_000;

/** The discovery document and keys of a provider. */
export interface Provider extends SigningKeys {
  metadata: ServerMetadata;
  /** The only issuer whose tokens a key signs, if its key set says so. */
  issuerOfKey: (kid: string | undefined) => string | undefined;
  /** Milliseconds by which its clock is ahead of ours; undefined if it does not say. */
  ahead: number | undefined;
}

/** A key whose set says which issuer's tokens it signs. */
type Named = JWK & { issuer?: unknown };

/** Reads a provider's documents, for all logins of a client at once, and keeps them for five minutes. */
export function createProviders(options: OidcOptions) {
  const { now } = options;
  const kept = new LRUCache<string, { version: number; until: number; provider: Promise<Provider> }>({
    max: MAX_KEPT,
  });
  return async (client: OidcClient): Promise<Provider> => {
    const { id, version } = client;
    const known = kept.get(id);
    if (known && known.version === version && now() < known.until) return known.provider;
    const entry = {
      version,
      until: Number.POSITIVE_INFINITY,
      provider: discover(trusting(options, client), client),
    };
    kept.set(id, entry);
    entry.provider.then(
      () => {
        entry.until = now() + LIFETIME;
      },
      () => {
        entry.until = now() + RETRY;
      },
    );
    return entry.provider;
  };
}

/**
 * Reads the discovery document of an issuer (OpenID Connect Discovery 1.0 §4).
 * @throws {SsoRefusal} when it cannot be read or belongs to another issuer.
 */
export async function discover(
  options: OidcOptions,
  { issuer, tenants }: Pick<OidcClient, 'issuer' | 'tenants'>,
): Promise<Provider> {
  const { outbound, documentTimeout, now } = options;
  let date = Number.NaN;
  try {
    const configuration = await discovery(new URL(issuer), 'discovery', undefined, None(), {
      [customFetch]: async (...call) => {
        const response = await providerFetch(outbound, AbortSignal.timeout(documentTimeout))(...call);
        if (response.status !== 200)
          throw new SsoRefusal('message malformed', `${call[0]}: the response has status ${response.status}`);
        date = Date.parse(response.headers.get('date') ?? '');
        return tenants === undefined ? response : ofAllTenants(response, { issuer, tenants });
      },
      // `outbound` decides which addresses may do without TLS. An issuer with TLS has no endpoint without it.
      execute: issuer.startsWith('http:') ? [allowInsecureRequests] : [],
    });
    const metadata: ServerMetadata = { ...configuration.serverMetadata() };
    if (metadata.issuer !== issuer) throw documentOf(metadata.issuer);
    const remote = remoteKeys(options, metadata, issuer);
    return {
      metadata: { ...metadata, id_token_signing_alg_values_supported: acceptedAlgorithms(metadata) },
      ...signingKeys(remote, now),
      issuerOfKey(kid) {
        const named = (remote.jwks()?.keys.find((each) => each.kid === kid) as Named | undefined)?.issuer;
        return typeof named === 'string' ? named : undefined;
      },
      ahead: Number.isNaN(date) ? undefined : date - now(),
    };
  } catch (error) {
    const other = otherIssuer(error);
    throw other === undefined ? refusalOf(error) : documentOf(other);
  }
}

/** openid-client takes a document only from its own issuer, and that of all tenants names a template. */
async function ofAllTenants(
  response: Response,
  { issuer, tenants }: { issuer: string; tenants: string },
): Promise<Response> {
  const document = await objectOf(response);
  return Response.json(document.issuer === tenants ? { ...document, issuer } : document);
}

const documentOf = (issuer: string): SsoRefusal =>
  new SsoRefusal('message refused', `the discovery document is that of ${issuer.slice(0, 200)}`);

/** Returns the issuer of a document that openid-client refuses because it is another one's. */
function otherIssuer(error: unknown): string | undefined {
  if (!(error instanceof ClientError)) return undefined;
  const { attribute, body } = (error.cause ?? {}) as { attribute?: unknown; body?: { issuer?: unknown } };
  return attribute === 'issuer' && typeof body?.issuer === 'string' ? body.issuer : undefined;
}
