import { AppError, type ErrorName } from '@gatehouse/shared/http/errors';
import type { UpstreamResponse } from '../proxy/response.ts';
import { type Counters, networkUses, rateLimited } from './counters.ts';
import { reserveAttempt, withReservations } from './reservation.ts';

/** Wrong codes from one client network, for whatever account (CONTRACT.md §Code throttle). */
const THROTTLE = [{ seconds: 900, limit: 30 }];

/**
 * Limits guesses that are spread over many accounts, which each account's own budget does not see. The returned function
 * makes an attempt to use a code. @throws {AppError} rateLimited
 */
const createThrottle =
  (name: string, isWrong: (response: UpstreamResponse) => boolean) =>
  (counters: Counters) =>
  async (address: string, attempt: () => Promise<UpstreamResponse>): Promise<UpstreamResponse> => {
    const reservation = await reserveAttempt(counters, networkUses(name, address, THROTTLE));
    if (reservation.exceeded) throw rateLimited(reservation);
    return withReservations([reservation], attempt, isWrong);
  };

const says = ({ body }: UpstreamResponse, failure: ErrorName): boolean =>
  String(body).includes(new AppError(failure).message);

/** Mailed codes: a wrong login code is answered with 401, any other with 400. Expired codes are not compared. */
export const createCodeThrottle = createThrottle(
  'codes:',
  (response) => response.status === 401 || (response.status === 400 && !says(response, 'otpExpired')),
);

/** Passkeys. Nobody can guess one, but each attempt costs a signature check. */
export const createPasskeyThrottle = createThrottle('passkeys:', (response) => response.status === 401);

/** Codes of second factors, and confirmations. The service compares none with a token that has expired. */
export const createFactorThrottle = createThrottle(
  'factor-codes:',
  (response) => response.status === 401 && !says(response, 'factorTokenInvalid'),
);
