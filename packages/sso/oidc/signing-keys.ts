import {
  createRemoteJWKSet,
  errors,
  type JWTVerifyGetKey,
  customFetch as jwksFetch,
  type RemoteJWKSet,
} from 'jose';
import type { ServerMetadata } from 'openid-client';
import { SsoRefusal } from '../refusal.ts';
import type { OidcOptions } from './options.ts';
import { providerFetch } from './provider-fetch.ts';

/** Milliseconds after a failure until the provider is asked again. */
export const RETRY = 5_000;
/** Milliseconds after the keys were read until an unknown key makes us read them again. */
const REFRESH = 30_000;

export interface SigningKeys {
  /** The keys that sign the tokens that the provider gives us; reads them again when a token names a new one. */
  keys: JWTVerifyGetKey;
  /** The same keys, for tokens that anybody can send us. */
  keysForStrangers: JWTVerifyGetKey;
}

/** The key set of a provider, read under our rules for calls to providers, and only when `signingKeys` says so. */
export function remoteKeys(
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
export function signingKeys(remote: RemoteJWKSet, now: () => number): SigningKeys {
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
