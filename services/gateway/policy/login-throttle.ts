import { emailKey } from '@gatehouse/shared/identity/email';
import type { UpstreamResponse } from '../proxy/response.ts';
import { type Counters, networkUses, rateLimited } from './counters.ts';
import { reserve, reserveAttempt, withReservations } from './reservation.ts';

/** Failures of one account from one network before its attempts are refused (CONTRACT.md §Login throttle). */
const THROTTLE = [{ seconds: 300, limit: 20 }];
/** Failures before a catalogue login needs a CAPTCHA (CONTRACT.md §CAPTCHA): by account and network, */
const SUSPICIOUS_PAIR = [{ seconds: 900, limit: 3 }];
/** by network, */
const SUSPICIOUS_NETWORK = [{ seconds: 900, limit: 20 }];
/** and by account. A success does not clear these: the guesser continues while the owner logs in. */
const SUSPICIOUS_ACCOUNT = [{ seconds: 900, limit: 10 }];
/** A wrong guess: unknown account, wrong password. */
const FAILED = new Set([401, 404]);

/**
 * Counts failed logins under both contracts. It never locks the account itself: other networks are not refused. The
 * returned function makes a login attempt. A failure is counted in advance, which denies a parallel burst extra guesses,
 * and refunded unless the attempt fails.
 */
export const createLoginThrottle =
  (counters: Counters) =>
  /**
   * @param whenSuspicious runs first when the account, the network or both have failed often.
   * @throws {AppError} rateLimited
   */
  async <T extends { status: number; body?: UpstreamResponse['body'] }>(
    email: string,
    address: string,
    attempt: () => Promise<T>,
    whenSuspicious = async (): Promise<void> => {},
  ): Promise<T> => {
    const account = emailKey(email.trim());
    const usesOf = {
      throttle: networkUses(`login:${account}|`, address, THROTTLE),
      pair: networkUses(`login-pair:${account}|`, address, SUSPICIOUS_PAIR),
      network: networkUses('login-address:', address, SUSPICIOUS_NETWORK),
      account: [{ key: `login-account:${account}`, windows: SUSPICIOUS_ACCOUNT }],
    };
    const throttle = await reserveAttempt(counters, usesOf.throttle);
    if (throttle.exceeded) throw rateLimited(throttle);
    const suspicions = await Promise.all(
      [usesOf.pair, usesOf.network, usesOf.account].map((uses) => reserve(counters, uses)),
    );
    const response = await withReservations(
      [throttle, ...suspicions],
      async () => {
        if (suspicions.some(({ exceeded }) => exceeded)) await whenSuspicious();
        return attempt();
      },
      ({ status }) => FAILED.has(status),
    );
    if (isPasswordRight(response)) {
      const own = [...usesOf.throttle, ...usesOf.pair];
      await Promise.all(own.map(({ key, windows }) => counters.clear(key, windows)));
    }
    return response;
  };

/** Whether the login succeeded, or waits for the second factor. */
const isPasswordRight = ({ status, body }: { status: number; body?: unknown }): boolean =>
  status === 200 || (status === 403 && String(body).includes('factor_token'));
