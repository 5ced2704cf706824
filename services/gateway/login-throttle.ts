import { emailKey } from '@gatehouse/shared/email';
import { AppError } from '@gatehouse/shared/errors';
import { addressKey } from './address.ts';
import type { Counters } from './counters.ts';

/** Failures of one account from one address, and the seconds in which they count. */
const FAILURES = { points: 20, duration: 300 };
/** What a wrong guess looks like from outside: unknown account, wrong password. */
const FAILED = new Set([401, 404]);

export interface LoginThrottle {
  /**
   * Makes an attempt if the pair may still fail. The failure is reserved before the attempt, so that a
   * parallel burst gets no more; it is given back when the attempt was no failure.
   * @throws {AppError} rateLimited
   */
  guard<T extends { status: number }>(email: string, address: string, attempt: () => Promise<T>): Promise<T>;
}

/** Never a lock on the account itself: its owner, elsewhere, is not locked out by an attacker. */
export function createLoginThrottle(counters: Counters): LoginThrottle {
  const failures = counters('login-failures', FAILURES);
  return {
    async guard(email, address, attempt) {
      const key = `${emailKey(email.trim())}|${addressKey(address)}`;
      const { exceeded, resetMs, limit } = await failures.spend(key);
      if (exceeded) {
        await failures.refund(key); // nothing was tried, so nothing has failed
        throw new AppError('rateLimited', { retryAfter: Math.ceil(resetMs / 1000), limit });
      }
      const answer = await attempt().catch(async (error) => {
        await failures.refund(key);
        throw error;
      });
      if (answer.status === 200) await failures.clear(key);
      else if (!FAILED.has(answer.status)) await failures.refund(key);
      return answer;
    },
  };
}
