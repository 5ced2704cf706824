import { emailKey } from '@gatehouse/shared/identity/email';
import { authenticate, type Principal, withoutScheme } from '@gatehouse/shared/identity/principal';
import { sessionOf } from '@gatehouse/shared/identity/sessions';
import type { Tokens } from '@gatehouse/shared/identity/tokens';
import type { User } from '@gatehouse/shared/identity/users';
import type { Collection } from 'mongodb';

/** Principals remembered at once. */
const MAX_REMEMBERED = 10_000;

/** Principals by bearer, remembered for a moment so that a busy client costs the database nothing. */
export interface Principals {
  /** @throws {AppError} what `authenticate` throws; refusals are not remembered. */
  of(authorization: string | undefined): Promise<Principal>;
  /** Forgets every bearer of the session that this one belongs to, which has ended through this process. */
  forget(authorization: string | undefined): void;
  /** Forgets whoever has this e-mail address. */
  forgetUser(email: string): void;
}

interface Remembered {
  answer: Promise<Principal>;
  /** Known once the database has answered. */
  principal?: Principal;
  /** Unix milliseconds. */
  until: number;
}

export function createPrincipals(
  { PRINCIPAL_CACHE_MS }: { PRINCIPAL_CACHE_MS: number },
  { users, tokens, now }: { users: Collection<User>; tokens: Tokens; now: () => number },
): Principals {
  const remembered = new Map<string, Remembered>();

  let sweptAt = 0;
  const makeRoom = (at: number): void => {
    if (remembered.size >= MAX_REMEMBERED) remembered.clear();
    if (at < sweptAt + PRINCIPAL_CACHE_MS) return;
    sweptAt = at;
    for (const [authorization, { until }] of remembered) {
      if (until <= at) remembered.delete(authorization);
    }
  };
  /** Forgets those of whom `has` holds, and those of whom the database may still tell what was true before. */
  const forgetWhere = (has: (principal: Principal) => boolean): void => {
    for (const [authorization, { principal }] of remembered) {
      if (!principal || has(principal)) remembered.delete(authorization);
    }
  };

  return {
    async of(authorization) {
      const at = now();
      const known = authorization === undefined ? undefined : remembered.get(authorization);
      if (known && known.until > at) return known.answer;
      const answer = authenticate(authorization, { users, tokens, now: at });
      if (authorization === undefined || PRINCIPAL_CACHE_MS === 0) return answer;

      // Many calls at once with one token wait for one answer; a refusal is asked for anew.
      const entry: Remembered = { answer, until: at + PRINCIPAL_CACHE_MS };
      makeRoom(at);
      remembered.set(authorization, entry);
      answer.then(
        (principal) => {
          entry.principal = principal;
          entry.until = Math.min(entry.until, principal.expiresAt);
        },
        () => {
          if (remembered.get(authorization) === entry) remembered.delete(authorization);
        },
      );
      return answer;
    },
    forget(authorization) {
      const token = withoutScheme(authorization ?? '');
      const check = tokens.verify(token, now());
      if (!check.ok) return;
      const { id } = sessionOf(token, check.sid, check.claims);
      forgetWhere(({ session }) => session.id === id);
    },
    forgetUser(email) {
      forgetWhere(({ user }) => emailKey(user.email) === emailKey(email));
    },
  };
}
