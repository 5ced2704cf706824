import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { hash, verify } from '@node-rs/argon2';
import PQueue from 'p-queue';
import { createFairQueue, type Flows } from './fair-queue.ts';

/** OWASP minimum for argon2id (the library's default): 19 MiB, two passes, one lane. */
export const ARGON2ID = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

const PHC = /^\$argon2id\$v=\d+\$m=(\d+),t=(\d+),p=(\d+)\$[A-Za-z0-9+/]+\$[A-Za-z0-9+/]+$/;

/** The costliest hash that is verified: 256 MiB, 16 passes, 8 lanes. The stored value itself names its cost. */
const MAX_COST = [262_144, 16, 8] as const;

/** A hash of the given parameters. */
const phc = ({ memoryCost, timeCost, parallelism }: typeof ARGON2ID, salt: string, hashed: string): string =>
  `$argon2id$v=19$m=${memoryCost},t=${timeCost},p=${parallelism}$${salt}$${hashed}`;

/** The salt of unusable hashes. The salt of a password is random. */
const UNUSABLE_SALT = 'A'.repeat(22);

/** A hash of no known password. */
const decoy = (cost: typeof ARGON2ID): string => phc(cost, UNUSABLE_SALT, 'A'.repeat(43));

/** Returns a hash of no known password, for an account that has none. It costs nothing to make. */
export const unusableHash = (): string =>
  phc(ARGON2ID, UNUSABLE_SALT, randomBytes(32).toString('base64').replaceAll('=', ''));

/** Returns whether a stored value is such a hash, or none. Those of earlier versions had random salts and pass for passwords. */
export const isUnusable = (stored: unknown): boolean =>
  typeof stored !== 'string' || (isPasswordHash(stored) && stored.split('$').at(-2) === UNUSABLE_SALT);

/** Returns whether a stored value is a hash. Any other value is the password itself. */
export const isPasswordHash = (stored: string): boolean => PHC.test(stored);

/** Returns whether a stored value is a hash that costs too much to verify. */
export function isTooCostly(stored: unknown): boolean {
  const cost = typeof stored === 'string' ? PHC.exec(stored) : null;
  return cost !== null && MAX_COST.some((max, index) => Number(cost[index + 1]) > max);
}

export type PasswordStorage = 'argon2id' | 'plain';

interface HashingOptions {
  /** Runs the hashing jobs; by default one per core. */
  queue?: PQueue;
  /** Jobs that may wait; by default about three seconds of work. */
  maxQueued?: number;
  /** The parameters of a new hash. */
  cost?: typeof ARGON2ID;
}

/** Hashes on the thread pool through a bounded, fair queue. A flood of logins gets 503 instead of a stall. */
export function createPasswords({
  queue = new PQueue({ concurrency: availableParallelism() }),
  maxQueued = 128 * queue.concurrency,
  cost = ARGON2ID,
}: HashingOptions = {}) {
  const unknownPassword = decoy(cost);
  const enqueue = createFairQueue(queue, { maxQueued });
  return {
    /**
     * Returns the value to store for a password. A password that looks like a hash is always hashed: otherwise a user
     * could plant a hash.
     * @param flows to which the hash is charged.
     * @throws {AppError} unavailable when the queue is full.
     */
    async encode(password: string, storage: PasswordStorage, flows?: Flows): Promise<string> {
      if (storage === 'plain' && !isPasswordHash(password)) return password;
      return enqueue(() => hash(password, cost), flows);
    },
    /**
     * Returns whether `submitted` equals the stored password exactly (CONTRACT.md §Login, 2). A hash that is too
     * costly matches nothing.
     * @param options.alwaysHash hides by the time of the answer what is stored: it takes the time of a hash even if there
     * is none to verify.
     * @param options.flows to which the hash is charged.
     * @throws {AppError} unavailable when the queue is full.
     */
    async matches(
      stored: unknown,
      submitted: string,
      { alwaysHash = false, flows }: { alwaysHash?: boolean; flows?: Flows } = {},
    ): Promise<boolean> {
      const hashed = typeof stored === 'string' && isPasswordHash(stored);
      if (hashed && !isTooCostly(stored)) {
        const matched = await enqueue(() => verify(stored, submitted).catch(undefinedIfUnreadable), flows);
        if (matched !== undefined) return matched;
      }
      if (alwaysHash) await enqueue(() => verify(unknownPassword, submitted), flows);
      if (hashed || typeof stored !== 'string') return false;
      const digest = (text: string) => createHash('sha256').update(text).digest();
      return timingSafeEqual(digest(stored), digest(submitted));
    },
  };
}

export type Passwords = ReturnType<typeof createPasswords>;

/** A stored value that only looks like a hash, or has parameters that argon2 refuses, matches no password. */
function undefinedIfUnreadable(error: Error & { code?: string }): undefined {
  if (error.code === 'InvalidArg') return;
  throw error;
}
