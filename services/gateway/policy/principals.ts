import type { Principal } from '@gatehouse/shared/identity/caller';
import { emailKey } from '@gatehouse/shared/identity/email';
import {
  type BearerCollections,
  createAuthenticate,
  withoutScheme,
} from '@gatehouse/shared/identity/principal';
import { sessionOf } from '@gatehouse/shared/identity/sessions';
import type { Tokens } from '@gatehouse/shared/identity/tokens';
import { LRUCache } from 'lru-cache';

const MAX_CACHED = 10_000;

interface Cached {
  /** Shared by concurrent calls with the same bearer. */
  pending: Promise<Principal>;
  /** Set once `pending` is resolved. */
  principal?: Principal;
  /** Unix milliseconds. */
  until: number;
}

/** Principals by bearer, cached for `PRINCIPAL_CACHE_MS` to spare the database. */
export function createPrincipals(
  { PRINCIPAL_CACHE_MS }: { PRINCIPAL_CACHE_MS: number },
  { db, tokens, now }: { db: BearerCollections; tokens: Tokens; now: () => number },
  maxCached = MAX_CACHED,
) {
  const authenticate = createAuthenticate(db, tokens);
  const cache = new LRUCache<string, Cached>({ max: maxCached });

  /** Also drops what is still pending: the database may answer with the state before the change. */
  const forgetWhere = (matches: (principal: Principal) => boolean): void => {
    for (const [authorization, { principal }] of [...cache.entries()]) {
      if (!principal || matches(principal)) cache.delete(authorization);
    }
  };

  return {
    /** @throws {AppError} what `authenticate` throws; refusals are not cached. */
    async of(authorization: string | undefined): Promise<Principal> {
      const at = now();
      const known = authorization === undefined ? undefined : cache.get(authorization);
      if (known && known.until > at) return known.pending;
      const pending = authenticate(authorization, at);
      if (authorization === undefined || PRINCIPAL_CACHE_MS === 0) return pending;

      const entry: Cached = { pending, until: at + PRINCIPAL_CACHE_MS };
      cache.set(authorization, entry);
      pending.then(
        (principal) => {
          entry.principal = principal;
          entry.until = Math.min(entry.until, principal.expiresAt);
        },
        () => {
          if (cache.peek(authorization) === entry) cache.delete(authorization);
        },
      );
      return pending;
    },
    /** Drops every cached bearer of this bearer's session, which has ended. */
    forget(authorization: string | undefined): void {
      const token = withoutScheme(authorization ?? '');
      const check = tokens.verify(token, now());
      if (!check.ok) return;
      const { id } = sessionOf(token, check.sid, check.claims);
      forgetWhere(({ session }) => session.id === id);
    },
    /** Drops every cached bearer of the user with this email address. */
    forgetUser(email: string): void {
      forgetWhere(({ user }) => emailKey(user.email) === emailKey(email));
    },
  };
}

export type Principals = ReturnType<typeof createPrincipals>;
