import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose';
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
import { type OidcConnection, type OidcOptions, trusting } from './options.ts';
import { providerFetch } from './provider-fetch.ts';
import { refusalOf } from './refusal-of.ts';

/** Milliseconds for which a discovery document and its keys are used. */
const LIFETIME = 300_000;
/** Milliseconds after a failure until the provider is asked again. */
const RETRY = 5_000;
/** Milliseconds after the keys were read until an unknown key makes us read them again. */
const REFRESH = 30_000;
/** Connections whose documents are kept. */
const MAX_KEPT = 1_000;

/** What a provider publishes. */
export interface Provider {
  metadata: ServerMetadata;
  /** The keys that sign the tokens that it gives us; reads them again when a token names a new one. */
  keys: JWTVerifyGetKey;
  /** The same keys, for tokens that anybody can send us. */
  keysForStrangers: JWTVerifyGetKey;
  /** Milliseconds by which its clock is ahead of ours; undefined if it does not say. */
  ahead: number | undefined;
}

/** Reads a provider's documents, for all logins of a connection at once, and keeps them for five minutes. */
export function createProviders(options: OidcOptions) {
  const { now } = options;
  const kept = new Map<string, { updated_at: number; until: number; provider: Promise<Provider> }>();
  return async ({ connection_id, updated_at, oidc }: OidcConnection): Promise<Provider> => {
    const known = kept.get(connection_id);
    if (known && known.updated_at === updated_at.getTime() && now() < known.until) return known.provider;
    const entry = {
      updated_at: updated_at.getTime(),
      until: Number.POSITIVE_INFINITY,
      provider: discover(trusting(options, oidc), oidc.issuer),
    };
    kept.delete(connection_id);
    kept.set(connection_id, entry);
    for (const oldest of kept.keys()) {
      if (kept.size <= MAX_KEPT) break;
      kept.delete(oldest);
    }
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
export async function discover(options: OidcOptions, issuer: string): Promise<Provider> {
  const { outbound, documentTimeout, now } = options;
  const fetch = () => providerFetch(outbound, AbortSignal.timeout(documentTimeout));
  let date = Number.NaN;
  try {
    const configuration = await discovery(new URL(issuer), 'discovery', undefined, None(), {
      [customFetch]: async (...call) => {
        const response = await fetch()(...call);
        if (response.status !== 200)
          throw new SsoRefusal('message malformed', `${call[0]}: the response has status ${response.status}`);
        date = Date.parse(response.headers.get('date') ?? '');
        return response;
      },
      // `outbound` decides which addresses may do without TLS. An issuer with TLS has no endpoint without it.
      execute: issuer.startsWith('http:') ? [allowInsecureRequests] : [],
    });
    const metadata: ServerMetadata = { ...configuration.serverMetadata() };
    if (metadata.issuer !== issuer) throw documentOf(metadata.issuer);
    return {
      metadata: { ...metadata, id_token_signing_alg_values_supported: acceptedAlgorithms(metadata) },
      ...signingKeys(() => readKeys(metadata, issuer, fetch()), now),
      ahead: Number.isNaN(date) ? undefined : date - now(),
    };
  } catch (error) {
    const other = otherIssuer(error);
    throw other === undefined ? refusalOf(error) : documentOf(other);
  }
}

const documentOf = (issuer: string): SsoRefusal =>
  new SsoRefusal('message refused', `the discovery document is that of ${issuer.slice(0, 200)}`);

/** Returns the issuer of a document that openid-client refuses because it is another one's. */
function otherIssuer(error: unknown): string | undefined {
  if (!(error instanceof ClientError)) return undefined;
  const { attribute, body } = (error.cause ?? {}) as { attribute?: unknown; body?: { issuer?: unknown } };
  return attribute === 'issuer' && typeof body?.issuer === 'string' ? body.issuer : undefined;
}

type KeySet = ReturnType<typeof createLocalJWKSet>;

async function readKeys(
  { jwks_uri }: ServerMetadata,
  issuer: string,
  fetch: ReturnType<typeof providerFetch>,
): Promise<KeySet> {
  const protocols = issuer.startsWith('http:') ? ['http:', 'https:'] : ['https:'];
  if (typeof jwks_uri !== 'string' || !protocols.includes(URL.parse(jwks_uri)?.protocol ?? ''))
    throw new SsoRefusal('message malformed', 'the discovery document has no valid jwks_uri');
  const headers = { accept: 'application/json, application/jwk-set+json' };
  const response = await fetch(jwks_uri, { method: 'GET', headers, body: null, redirect: 'manual' });
  if (response.status !== 200)
    throw new SsoRefusal('provider unavailable', `${jwks_uri}: the response has status ${response.status}`);
  try {
    return createLocalJWKSet((await response.json()) as JSONWebKeySet);
  } catch {
    throw new SsoRefusal('message malformed', `${jwks_uri}: the response is not a key set`);
  }
}

/** Who hands us a token: the provider's token endpoint, or anybody. */
type Source = 'provider' | 'stranger';

/**
 * Looks keys up. An unknown key makes us read the set again, so that providers can change keys at any time, but not
 * so often that forged tokens make us flood the provider: at most three times in 30 seconds, of which forged tokens
 * can use up two. A set that cannot be read again stays in use.
 */
function signingKeys(
  read: () => Promise<KeySet>,
  now: () => number,
): Pick<Provider, 'keys' | 'keysForStrangers'> {
  let keys: Promise<KeySet> | undefined;
  let refreshing: Promise<KeySet> | undefined;
  let readAt = 0;
  let failed = false;
  /** Who may have the set read again before it is 30 seconds old: the provider may have changed keys since. */
  const early = new Set<Source>(['provider', 'stranger']);

  function load(): Promise<KeySet> {
    readAt = now();
    failed = false;
    const loading = read();
    loading.catch(() => {
      failed = true;
    });
    keys = loading;
    return loading;
  }
  /** @returns undefined when the set is fresh. */
  function refresh(source: Source): Promise<KeySet> | undefined {
    const isEarly = now() - readAt < REFRESH;
    if (refreshing || (isEarly && !early.has(source))) return refreshing;
    if (isEarly) early.delete(source);
    else early.add('provider').add('stranger');
    readAt = now();
    const reading = read();
    refreshing = reading;
    const done = () => {
      refreshing = undefined;
    };
    reading.then(() => {
      keys = reading;
      done();
    }, done);
    return reading;
  }

  const lookUp =
    (source: Source): JWTVerifyGetKey =>
    async (header, token) => {
      const known = !keys || (failed && now() - readAt >= RETRY) ? load() : keys;
      try {
        return await (await known)(header, token);
      } catch (error) {
        if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
        // Another login may have read them meanwhile.
        const newer = keys === known ? refresh(source) : keys;
        if (!newer) throw error;
        return (await newer)(header, token);
      }
    };
  return { keys: lookUp('provider'), keysForStrangers: lookUp('stranger') };
}
