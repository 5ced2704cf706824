import { addressKey } from '@gatehouse/shared/http/address';
import { emailKey } from '@gatehouse/shared/identity/email';
import { type Counters, rateLimited } from './counters.ts';
import { reserve, withReservations } from './reservation.ts';

/** Failures of one account from one address before its attempts are refused (CONTRACT.md §Login throttle). */
const THROTTLE = [{ seconds: 300, limit: 20 }];
/** Failures before a catalogue login needs a CAPTCHA, by account and address, and by address (CONTRACT.md §CAPTCHA). */
const SUSPICIOUS_PAIR = [{ seconds: 900, limit: 3 }];
const SUSPICIOUS_ADDRESS = [{ seconds: 900, limit: 20 }];
/** A wrong guess: unknown account, wrong password. */
const FAILED = new Set([401, 404]);

/** Counts failed logins under both contracts. It never locks the account itself: other addresses are not affected. */
export interface LoginThrottle {
  /**
   * Makes a login attempt. The failure is counted before the attempt, so that a parallel burst gets no extra guesses,
   * and refunded unless the attempt fails.
   * @param whenSuspicious runs first when the account and address, or the address, have failed often.
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
  return {
    async guard(email, address, attempt, whenSuspicious = async () => {}) {
      const from = addressKey(address);
      const pair = `${emailKey(email.trim())}|${from}`;
      const throttle = await reserve(counters, `login:${pair}`, THROTTLE);
      if (throttle.exceeded) throw rateLimited(throttle);
      const ofPair = await reserve(counters, `login-pair:${pair}`, SUSPICIOUS_PAIR);
      const ofAddress = await reserve(counters, `login-address:${from}`, SUSPICIOUS_ADDRESS);
      const response = await withReservations(
        [throttle, ofPair, ofAddress],
        async () => {
          if (ofPair.exceeded || ofAddress.exceeded) await whenSuspicious();
          return attempt();
        },
        ({ status }) => FAILED.has(status),
      );
      if (response.status === 200) {
        await counters.clear(`login:${pair}`, THROTTLE);
        await counters.clear(`login-pair:${pair}`, SUSPICIOUS_PAIR);
      }
      return response;
    },
  };
}
