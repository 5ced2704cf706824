import { createHash } from 'node:crypto';
import type { Collection, Filter, UpdateFilter, WithId } from 'mongodb';
import { Secret, TOTP } from 'otpauth';
import type { Secrets } from '../data/secrets.ts';
import { AppError } from '../http/errors.ts';
import type { SecondFactor, User } from './users.ts';

/** What the person of an enrolled account presents after the password (CONTRACT.md §Second factor). */
export const FACTOR_METHODS = ['totp', 'recovery_code'] as const;

export type FactorMethod = (typeof FACTOR_METHODS)[number];

export type EnrolledUser = Readonly<WithId<User>> & { second_factor: SecondFactor };

export const isEnrolled = <U extends User>(user: U): user is U & { second_factor: SecondFactor } =>
  user.second_factor !== undefined;

/** Seconds of a time step, and the steps before and after the current one whose codes are accepted (RFC 6238 §5.2). */
const PERIOD = 30;
const WINDOW = 1;
/** Wrong codes of one account within so many seconds. */
const GUESSES = { limit: 5, seconds: 15 * 60 };

/** What the secret of an enrollment is sealed for. */
export const factorRecord = (id: string): string => `factor ${id}`;

/** Returns the time step whose code this is; undefined if it is none of the accepted steps. Now in Unix milliseconds. */
export function stepOf(secret: string, code: string, now: number): number | undefined {
  if (!/^\d{6}$/.test(code)) return undefined;
  const totp = new TOTP({ secret: Secret.fromBase32(secret), period: PERIOD, digits: 6, algorithm: 'SHA1' });
  const delta = totp.validate({ token: code, timestamp: now, window: WINDOW });
  return delta === null ? undefined : Math.floor(now / 1000 / PERIOD) + delta;
}

/** The methods that are left to an enrolled account. */
export const factorMethods = ({ recovery_codes }: SecondFactor): FactorMethod[] =>
  FACTOR_METHODS.filter((method) => method === 'totp' || recovery_codes.length > 0);

/** The digest of a recovery code. A code has 80 random bits, so a fast hash is enough. */
export const recoveryDigest = (id: string, code: string): string =>
  createHash('sha256')
    .update(`${id} ${code.replaceAll(/[\s-]/g, '').toUpperCase()}`)
    .digest('base64url');

/** Matches an account that may guess again. */
const guessesLeft = (seconds: number): Filter<User> => ({
  $or: [
    { [`factor_guesses.${GUESSES.limit - 1}`]: { $exists: false } },
    { 'factor_guesses.0': { $lte: seconds - GUESSES.seconds } },
  ],
});

/**
 * Uses a code of the account's second factor. The write that uses the code has the budget of guesses in its filter: of
 * parallel guesses, none is answered beyond the budget, and of equal codes one is accepted.
 * @param now Unix milliseconds.
 * @returns which kind of code it was.
 * @throws {AppError} codeInvalid, or rateLimited once the budget is spent.
 */
export async function spendFactorCode(
  users: Collection<User>,
  secrets: Secrets,
  user: EnrolledUser,
  { code, now }: { code: string; now: number },
): Promise<FactorMethod> {
  const seconds = Math.floor(now / 1000);
  const { id } = user.second_factor;
  const open = { _id: user._id, 'second_factor.id': id, ...guessesLeft(seconds) };
  const use = useOf(user.second_factor, secrets, code.replaceAll(/\s/g, ''), now);
  if (use) {
    const { matchedCount } = await users.updateOne({ ...open, ...use.unused }, use.update);
    if (matchedCount === 1) return use.method;
  }
  const guess = { $push: { factor_guesses: { $each: [seconds], $slice: -GUESSES.limit } } };
  const { matchedCount } = await users.updateOne(open, guess);
  if (matchedCount === 1) throw new AppError('codeInvalid');
  const current = await users.findOne({ _id: user._id, 'second_factor.id': id });
  const [oldest] = current?.factor_guesses ?? [];
  if (oldest === undefined) throw new AppError('codeInvalid');
  const retryAfter = Math.max(1, oldest + GUESSES.seconds - seconds);
  throw new AppError('rateLimited', { retryAfter, limit: GUESSES.limit });
}

interface Use {
  method: FactorMethod;
  /** Matches an account that has not used the code. */
  unused: Filter<User>;
  update: UpdateFilter<User>;
}

function useOf(
  { id, secret, recovery_codes }: SecondFactor,
  secrets: Secrets,
  code: string,
  now: number,
): Use | undefined {
  const step = stepOf(secrets.open(secret, factorRecord(id)), code, now);
  if (step !== undefined)
    return {
      method: 'totp',
      unused: { 'second_factor.last_step': { $lt: step } },
      update: { $set: { 'second_factor.last_step': step } },
    };
  const digest = recoveryDigest(id, code);
  if (!recovery_codes.includes(digest)) return undefined;
  return {
    method: 'recovery_code',
    unused: { 'second_factor.recovery_codes': digest },
    update: { $pull: { 'second_factor.recovery_codes': digest } },
  };
}
