import { AppError } from '@gatehouse/shared/http/errors';
import type { UpstreamResponse } from '../proxy/response.ts';
import { type Counters, networkUses, rateLimited } from './counters.ts';
import { reserveAttempt, withReservations } from './reservation.ts';

/** Wrong codes from one client network, for whatever account (CONTRACT.md §Code throttle). */
const THROTTLE = [{ seconds: 900, limit: 30 }];

const OTP_EXPIRED = new AppError('otpExpired').message;

/**
 * Limits guesses that are spread over many accounts, which each account's own budget does not see. The returned function
 * makes an attempt to use a code. @throws {AppError} rateLimited
 */
export const createCodeThrottle =
  (counters: Counters) =>
  async (
    address: string,
    attempt: () => Promise<UpstreamResponse>,
    isWrong = isWrongOtp,
  ): Promise<UpstreamResponse> => {
    const reservation = await reserveAttempt(counters, networkUses('codes:', address, THROTTLE));
    if (reservation.exceeded) throw rateLimited(reservation);
    return withReservations([reservation], attempt, isWrong);
  };

/** The service compares no code that has expired. */
const isWrongOtp = ({ status, body }: UpstreamResponse): boolean =>
  status === 400 && JSON.parse(String(body)).detail !== OTP_EXPIRED;

/** Whether the service refused a code of a second factor. */
export const isWrongFactorCode = ({ status }: UpstreamResponse): boolean => status === 401;
