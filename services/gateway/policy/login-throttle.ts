import { emailKey } from '@gatehouse/shared/identity/email';
import { addressKey } from './address.ts';
import { type Counters, exceeded, type Window } from './counters.ts';

/** Failures of one account from one address after which it may not try again for a while. */
const THROTTLE = [{ seconds: 300, limit: 20 }];
/** Failures of one account from one address, and of one address, after which the catalogue asks for a CAPTCHA. */
const SUSPICIOUS_PAIR = [{ seconds: 900, limit: 3 }];
const SUSPICIOUS_ADDRESS = [{ seconds: 900, limit: 20 }];
/** What a wrong guess looks like from outside: unknown account, wrong password. */
const FAILED = new Set([401, 404]);

/** Counts failed logins, at either door. Never a lock on the account itself: its owner, elsewhere, is not locked out. */
export interface LoginThrottle {
  /**
   * Makes an attempt if the pair may still fail. The failure is reserved before the attempt, so that a
   * parallel burst gets no more; it is given back when the attempt was no failure.
   * @param whenSuspicious what must hold first where this account at this address, or this address, has failed often.
   * @throws {AppError} rateLimited
   */
  guard<T extends { status: number }>(
    email: string,
    address: string,
    attempt: () => Promise<T>,
    whenSuspicious?: () => Promise<void>,
  ): Promise<T>;
}

export function createLoginThrottle(counters: Counters): LoginThrottle {
  const reserve = async (key: string, windows: readonly Window[]) => {
    const budget = await counters.spend(key, windows);
    const endsAt = Date.now() + budget.resetMs;
    const giveBack = async () => {
      // Not to a window that began since: what it has seen are other attempts.
      if (!budget.exceeded && Date.now() < endsAt) await counters.refund(key, windows);
    };
    return { ...budget, giveBack };
  };
  return {
    async guard(email, address, attempt, whenSuspicious = async () => {}) {
      const from = addressKey(address);
      const pair = `${emailKey(email.trim())}|${from}`;
      const throttle = await reserve(`login:${pair}`, THROTTLE);
      if (throttle.exceeded) throw exceeded(throttle);
      const ofPair = await reserve(`login-pair:${pair}`, SUSPICIOUS_PAIR);
      const ofAddress = await reserve(`login-address:${from}`, SUSPICIOUS_ADDRESS);
      const giveBack = () =>
        Promise.all([throttle, ofPair, ofAddress].map((reservation) => reservation.giveBack()));
      try {
        if (ofPair.exceeded || ofAddress.exceeded) await whenSuspicious();
        const answer = await attempt();
        if (!FAILED.has(answer.status)) await giveBack();
        if (answer.status === 200) {
          await counters.clear(`login:${pair}`, THROTTLE);
          await counters.clear(`login-pair:${pair}`, SUSPICIOUS_PAIR);
        }
        return answer;
      } catch (error) {
        await giveBack();
        throw error;
      }
    },
  };
}
