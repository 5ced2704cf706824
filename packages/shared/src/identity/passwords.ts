import { createHash, timingSafeEqual } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { hash, verify } from '@node-rs/argon2';
import PQueue from 'p-queue';
import { AppError } from '../http/errors.ts';

/** OWASP minimum for argon2id (the library's default): 19 MiB, two passes, one lane. */
export const ARGON2ID = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

const PHC = /^\$argon2id\$v=\d+\$m=\d+,t=\d+,p=\d+\$[A-Za-z0-9+/]+\$[A-Za-z0-9+/]+$/;

/** Returns whether a stored value is a hash. Any other value is the password itself. */
export const isPasswordHash = (stored: string): boolean => PHC.test(stored);

export type PasswordStorage = 'argon2id' | 'plain';

export interface Passwords {
  /**
   * Returns the value to store for a password. A password that looks like a hash is always hashed, so that
   * nobody can plant a hash.
   * @throws {AppError} unavailable when the queue is full.
   */
  encode(password: string, storage: PasswordStorage): Promise<string>;
  /**
   * Returns whether `submitted` equals the stored password exactly (CONTRACT.md §Login, 2).
   * @throws {AppError} unavailable when the queue is full.
   */
  matches(stored: unknown, submitted: string): Promise<boolean>;
}

interface HashingQueue {
  /** Runs the hashing jobs; by default one per core. */
  queue?: PQueue;
  /** Waiting jobs beyond which a new one is refused; by default about three seconds of work. */
  maxQueued?: number;
}

/** Hashes on the thread pool through a bounded queue, so that a flood of logins gets 503 instead of a stall. */
export function createPasswords({
  queue = new PQueue({ concurrency: availableParallelism() }),
  maxQueued = 128 * queue.concurrency,
}: HashingQueue = {}): Passwords {
  const enqueue = <T>(job: () => Promise<T>): Promise<T> => {
    if (queue.size >= maxQueued) throw new AppError('unavailable');
    return queue.add(job);
  };
  return {
    async encode(password, storage) {
      if (storage === 'plain' && !isPasswordHash(password)) return password;
      return enqueue(() => hash(password, ARGON2ID));
    },
    async matches(stored, submitted) {
      if (typeof stored !== 'string') return false;
      if (isPasswordHash(stored)) return enqueue(() => verify(stored, submitted).catch(rejectUnreadable));
      const digest = (text: string) => createHash('sha256').update(text).digest();
      return timingSafeEqual(digest(stored), digest(submitted));
    },
  };
}

/** A stored value that only looks like a hash matches no password. */
function rejectUnreadable(error: Error): false {
  if (error.message.startsWith('Decoding failed')) return false;
  throw error;
}
