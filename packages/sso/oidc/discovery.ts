import {
  createRemoteJWKSet,
  errors,
  type JWK,
  type JWTVerifyGetKey,
  customFetch as jwksFetch,
  type RemoteJWKSet,
} from 'jose';
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

/** Milliseconds for which a discovery document and its keys are used. */
const LIFETIME = 300_000;
/** Milliseconds after a failure until the provider is asked again. */
const RETRY = 5_000;
/** Milliseconds after the keys were read until an unknown key makes us read them again. */
const REFRESH = 30_000;
/** Clients whose documents are kept. */
const MAX_KEPT = 1_000;

/** The discovery document and keys of a provider. */
export interface Provider {
  metadata: ServerMetadata;
  /** The keys that sign the tokens that it gives us; reads them again when a token names a new one. */
  keys: JWTVerifyGetKey;
  /** The only issuer whose tokens a key signs, if its key set says so. */
  issuerOfKey: (kid: string | undefined) => string | undefined;
  /** The same keys, for tokens that anybody can send us. */
  keysForStrangers: JWTVerifyGetKey;
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

/** The key set of a provider, read under our rules for calls to providers, and only when `signingKeys` says so. */
function remoteKeys(
  { outbound, documentTimeout }: OidcOptions,
  { jwks_uri = '' }: ServerMetadata,
  issuer: string,
): RemoteJWKSet {
  const protocols = issuer.startsWith('http:') ? ['http:', 'https:'] : ['https:'];
  const url = URL.parse(jwks_uri) ?? new URL('invalid:');
  return createRemoteJWKSet(url, {
    timeoutDuration: documentTimeout,
    cacheMaxAge: Number.POSITIVE_INFINITY,
    cooldownDuration: Number.POSITIVE_INFINITY,
    async [jwksFetch](address, { signal, headers, ...init }) {
      if (!protocols.includes(url.protocol))
        throw new SsoRefusal('message malformed', 'the discovery document has no valid jwks_uri');
      const call = { ...init, headers: Object.fromEntries(headers), body: null };
      const response = await providerFetch(outbound, signal)(address, call);
      if (response.status !== 200)
        throw new SsoRefusal(
          'provider unavailable',
          `${address}: the response has status ${response.status}`,
        );
      return response;
    },
  });
}

/** Who hands us a token: the provider's token endpoint, or anybody. */
type Source = 'provider' | 'stranger';

/**
 * Looks keys up. An unknown key makes us read the set again, because providers can change keys at any time, but not
 * so often that forged tokens make us flood the provider: at most three times in 30 seconds, of which forged tokens
 * can use up two. A set that cannot be read again stays in use. The cool-down of jose knows no source, and would
 * refuse a key that the provider began to use right after we read the set.
 */
function signingKeys(remote: RemoteJWKSet, now: () => number): Pick<Provider, 'keys' | 'keysForStrangers'> {
  let readAt = Number.NEGATIVE_INFINITY;
  let reads = 0;
  let failure: unknown;
  /** Who may have the set read again before it is 30 seconds old: the provider may have changed keys since. */
  const early = new Set<Source>(['provider', 'stranger']);

  async function read(): Promise<void> {
    readAt = now();
    try {
      await remote.reload();
      reads += 1;
    } catch (error) {
      failure = error instanceof errors.JOSEError ? notKeys(error) : error;
      throw failure;
    }
  }
  function mayReadAgain(source: Source): boolean {
    if (now() - readAt < REFRESH) return early.delete(source);
    early.add('provider').add('stranger');
    return true;
  }

  const lookUp =
    (source: Source): JWTVerifyGetKey =>
    async (header, token) => {
      if (reads === 0 && !remote.reloading && failure && now() - readAt < RETRY) throw failure;
      if (reads === 0) await read();
      const before = reads;
      try {
        return await remote(header, token);
      } catch (error) {
        if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
        // A concurrent login may have read them, or be reading them.
        if (reads === before && !remote.reloading && !mayReadAgain(source)) throw error;
        if (reads === before) await read();
        return remote(header, token);
      }
    };
  return { keys: lookUp('provider'), keysForStrangers: lookUp('stranger') };
}

const notKeys = (cause: Error): SsoRefusal =>
  new SsoRefusal('message malformed', `the response of jwks_uri is not a key set: ${cause.message}`);
