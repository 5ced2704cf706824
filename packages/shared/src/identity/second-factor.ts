import { createHash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import type { Collection, Document, Filter, UpdateFilter } from 'mongodb';
import { Secret, TOTP } from 'otpauth';
import { onlyIf } from '../data/only-if.ts';
import type { Secrets } from '../data/secrets.ts';
import { AppError } from '../http/errors.ts';
import { type EnrolledUser, type FactorMethod, hasFactor } from './enrolled.ts';
import { newNotice, noticeFields, withNotice } from './notices.ts';
import type { User } from './user-record.ts';

/** Seconds of a time step, and the steps before and after the current one whose codes are accepted (RFC 6238 §5.2). */
const PERIOD = 30;
const WINDOW = 1;
/** Wrong codes of one account within so many seconds. The day's budget leaves a guesser a chance of 1 in 1,000 a month. */
const BURST = { limit: 5, seconds: 15 * 60 };
const DAILY = { limit: 20, seconds: 86_400 };
const BUDGETS = [BURST, DAILY];

/** What the secret of an enrollment is sealed for. */
export const factorRecord = (id: string): string => `factor ${id}`;

/** A generator with a new secret of 160 bits (RFC 4226 §4). */
export const newTotp = (issuer: string, label: string): TOTP =>
  new TOTP({
    // A colon separates the two in the URI, and apps read an encoded one like any other.
    issuer: issuer.replaceAll(':', ''),
    label: label.replaceAll(':', ''),
    secret: new Secret({ size: 20 }),
    period: PERIOD,
    digits: 6,
    algorithm: 'SHA1',
  });

export const encodeBase32 = (bytes: Buffer): string =>
  new Secret({ buffer: Uint8Array.from(bytes).buffer }).base32;

/** Returns the time step whose code this is; undefined if it is none of the accepted steps. Now in Unix milliseconds. */
export function stepOf(secret: string, code: string, now: number): number | undefined {
  if (!/^\d{6}$/.test(code)) return undefined;
  const totp = new TOTP({ secret: Secret.fromBase32(secret), period: PERIOD, digits: 6, algorithm: 'SHA1' });
  const delta = totp.validate({ token: code, timestamp: now, window: WINDOW });
  return delta === null ? undefined : Math.floor(now / 1000 / PERIOD) + delta;
}

/** The digest of a recovery code. A code has 80 random bits, so a fast hash is enough. */
export const recoveryDigest = (id: string, code: string): string =>
  createHash('sha256')
    .update(`${id} ${code.replaceAll(/[\s-]/g, '').toUpperCase()}`)
    .digest('base64url');

/** The wrong codes of the latest seconds, as an expression. */
const guessesSince = (from: number) => ({
  $size: { $filter: { input: { $ifNull: ['$factor_guesses', []] }, cond: { $gt: ['$$this', from] } } },
});

/** Matches an account that may guess again. */
const guessesLeft = (now: number): Filter<User> => ({
  $expr: { $and: BUDGETS.map(({ limit, seconds }) => ({ $lt: [guessesSince(now - seconds), limit] })) },
});

/** Counts a wrong code. The last one of a burst leaves a notice: whoever enters codes knows the password. */
function countGuess({ email }: EnrolledUser, { now, request }: Attempt): Document[] {
  const seconds = Math.floor(now / 1000);
  const guesses = { $concatArrays: [{ $ifNull: ['$factor_guesses', []] }, [seconds]] };
  const isSpent = { $eq: [guessesSince(seconds - BURST.seconds), BURST.limit] };
  const notice = newNotice({ kind: 'factor_codes_wrong', to: email, at: now, request, details: {} });
  return [
    { $set: { factor_guesses: { $slice: [guesses, -DAILY.limit] } } },
    { $set: onlyIf(isSpent, noticeFields(notice)) },
  ];
}

interface Attempt {
  /** Unix milliseconds. */
  now: number;
  request: FastifyRequest;
}

/**
 * Uses a code of the account's second factor. The write that uses the code has the budget of guesses in its filter: of
 * parallel guesses, none is answered beyond the budget, and of equal codes one is accepted. The same write cancels a
 * reset by an operator, and leaves the notice of a recovery code.
 * @returns which kind of code it was.
 * @throws {AppError} codeInvalid, or rateLimited once the budget is spent.
 */
export async function spendFactorCode(
  users: Collection<User>,
  secrets: Secrets,
  user: EnrolledUser,
  { code, ...attempt }: Attempt & { code: string },
): Promise<FactorMethod> {
  const { now } = attempt;
  const seconds = Math.floor(now / 1000);
  const own = hasFactor(user, now);
  const mayGuess = { ...own, ...guessesLeft(seconds) };
  const use = useOf(user, secrets, code.replaceAll(/\s/g, ''), attempt);
  if (use) {
    // No one guesses a recovery code, and whoever guesses codes must not lock its owner out.
    const open = use.method === 'totp' ? mayGuess : own;
    const { matchedCount } = await users.updateOne({ ...open, ...use.unused }, use.update);
    if (matchedCount === 1) return use.method;
  }
  const { matchedCount } = await users.updateOne(mayGuess, countGuess(user, attempt));
  if (matchedCount === 1) throw new AppError('codeInvalid');
  const { factor_guesses: guesses } = (await users.findOne(own)) ?? {};
  if (!guesses) throw new AppError('codeInvalid');
  const wait = opensAt(guesses) - seconds;
  throw new AppError('rateLimited', { retryAfter: Math.max(1, wait), limit: BURST.limit });
}

/** When codes are accepted again, in Unix seconds; in the past if they are. */
const opensAt = (guesses: readonly number[]): number =>
  Math.max(...BUDGETS.map(({ limit, seconds }) => (guesses.at(-limit) ?? 0) + seconds));

/** When codes of the app are accepted again; undefined if they are. Times in Unix milliseconds. */
export function guessesOpenAt(
  { factor_guesses = [] }: Pick<User, 'factor_guesses'>,
  now: number,
): number | undefined {
  const opens = opensAt(factor_guesses) * 1000;
  return opens > now ? opens : undefined;
}

interface Use {
  method: FactorMethod;
  /** Matches an account that has not used the code. */
  unused: Filter<User>;
  update: UpdateFilter<User>;
}

function useOf(
  { email, second_factor: { id, secret, recovery_codes } }: EnrolledUser,
  secrets: Secrets,
  code: string,
  { now, request }: Attempt,
): Use | undefined {
  const $unset = { factor_reset: true } as const;
  // A recovery code works even if the secret cannot be opened.
  if (/^\d{6}$/.test(code)) {
    const step = stepOf(secrets.open(secret, factorRecord(id)), code, now);
    if (step === undefined) return undefined;
    return {
      method: 'totp',
      unused: { 'second_factor.last_step': { $lt: step } },
      update: { $set: { 'second_factor.last_step': step }, $unset },
    };
  }
  const digest = recoveryDigest(id, code);
  if (!recovery_codes.includes(digest)) return undefined;
  const details = { left: recovery_codes.length - 1 };
  return {
    method: 'recovery_code',
    unused: { 'second_factor.recovery_codes': digest },
    update: withNotice(
      { $pull: { 'second_factor.recovery_codes': digest }, $unset },
      newNotice({ kind: 'recovery_code_used', to: email, at: now, request, details }),
    ),
  };
}
