import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { hash, verify } from '@node-rs/argon2';
import PQueue from 'p-queue';
import { exceedsArgon2, undefinedIfUnreadable } from './argon2-cost.ts';
import { createFairQueue, type Flows } from './fair-queue.ts';
import { readForeignHash } from './foreign-hashes/foreign-hash.ts';
import type { User } from './user-record.ts';

/** OWASP minimum for argon2id (the library's default): 19 MiB, two passes, one lane. */
export const ARGON2ID = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

const PHC = /^\$argon2id\$v=\d+\$m=(\d+),t=(\d+),p=(\d+)\$[A-Za-z0-9+/]+\$[A-Za-z0-9+/]+$/;

/** A hash of the given parameters. */
const phc = ({ memoryCost, timeCost, parallelism }: typeof ARGON2ID, salt: string, hashed: string): string =>
  `$argon2id$v=19$m=${memoryCost},t=${timeCost},p=${parallelism}$${salt}$${hashed}`;

/** The salt of unusable hashes. The salt of a password is random. */
const UNUSABLE_SALT = 'A'.repeat(22);

/** A hash of no known password. */
const decoy = (cost: typeof ARGON2ID): string => phc(cost, UNUSABLE_SALT, 'A'.repeat(43));

/** Returns a hash of no known password, for an account that has none. It costs nothing to make. */
export const unusableHash = (digest = randomBytes(32)): string =>
  phc(ARGON2ID, UNUSABLE_SALT, digest.toString('base64').replaceAll('=', ''));

/** Returns whether a stored value is such a hash, or none. Those of earlier versions had random salts and pass for passwords. */
export const isUnusable = (stored: unknown): boolean =>
  typeof stored !== 'string' || (isPasswordHash(stored) && stored.split('$').at(-2) === UNUSABLE_SALT);

/** Returns whether a stored value is a hash. Any other value is the password itself. */
export const isPasswordHash = (stored: string): boolean => PHC.test(stored);

/** What a record holds of its password. Older records may hold other values than strings, or none. */
interface StoredPassword {
  password?: unknown;
  foreign_hash?: unknown;
}

/**
 * The fields of an account with a hash of another system. Its `password` is an unusable hash made of the digest of the
 * foreign one: the previous version, which takes a value that it does not know for the password itself, lets nobody in,
 * and any change of `password`, by whatever version, makes the foreign hash void.
 */
export const withForeignHash = (foreign_hash: string): Pick<User, 'password' | 'foreign_hash'> => ({
  password: unusableHash(createHash('sha256').update(foreign_hash).digest()),
  foreign_hash,
});

/** Returns the hash of another system that an account logs in with, if it has not been replaced yet. */
export const foreignHashOf = ({ password, foreign_hash }: StoredPassword): string | undefined =>
  typeof foreign_hash === 'string' && withForeignHash(foreign_hash).password === password
    ? foreign_hash
    : undefined;

/** Returns whether the stored hash of an account costs too much to verify. */
export function isTooCostly(account: StoredPassword): boolean {
  const foreign = foreignHashOf(account);
  if (foreign !== undefined) return readForeignHash(foreign)?.isTooCostly === true;
  return typeof account.password === 'string' && exceedsLimit(account.password);
}

function exceedsLimit(stored: string): boolean {
  const cost = PHC.exec(stored);
  return cost !== null && exceedsArgon2(...cost.slice(1));
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
     * Returns whether `submitted` equals the password of an account exactly (CONTRACT.md §Login, 2). A hash that is too
     * costly matches nothing.
     * @param options.alwaysHash hides by the time of the answer what is stored: it takes the time of a hash even if there
     * is none to verify.
     * @param options.flows to which the hash is charged.
     * @throws {AppError} unavailable when the queue is full.
     */
    async matches(
      account: StoredPassword | null,
      submitted: string,
      { alwaysHash = false, flows }: { alwaysHash?: boolean; flows?: Flows } = {},
    ): Promise<boolean> {
      const foreign = account ? readForeignHash(foreignHashOf(account) ?? '') : undefined;
      // A wrong password takes the time of an argon2id hash as well, which hides hashes that are cheaper.
      if (foreign && !foreign.isTooCostly && (await enqueue(() => foreign.verify(submitted), flows)))
        return true;
      const stored = account?.password;
      const hashed = typeof stored === 'string' && isPasswordHash(stored);
      if (hashed && !exceedsLimit(stored)) {
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
