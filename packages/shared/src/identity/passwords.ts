import { createHash, timingSafeEqual } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { hash, verify } from '@node-rs/argon2';
import PQueue from 'p-queue';
import { AppError } from '../http/errors.ts';

/** OWASP Password Storage Cheat Sheet, the minimum for argon2id (the library's default): 19 MiB, two passes, one lane. */
export const ARGON2ID = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

const PHC = /^\$argon2id\$v=\d+\$m=\d+,t=\d+,p=\d+\$[A-Za-z0-9+/]+\$[A-Za-z0-9+/]+$/;

const cores = availableParallelism();
/** Waiting jobs beyond which a new one is refused: about three seconds of work. */
const MAX_WAITING = 128 * cores;
const jobs = new PQueue({ concurrency: cores });

/** Runs one job a core; the others wait in a bounded queue, so that a flood is a 503 and not a stall. */
function onePerCore<T>(job: () => Promise<T>): Promise<T> {
  if (jobs.size >= MAX_WAITING) throw new AppError('unavailable');
  return jobs.add(job);
}

export type PasswordStorage = 'argon2id' | 'plain';

/** Whether a stored value is a hash; any other value is the password itself. */
export const isPasswordHash = (stored: string): boolean => PHC.test(stored);

/**
 * What rests in the database for a password. A password that itself looks like a hash is hashed in
 * either storage, so that nobody plants a hash.
 */
export async function storedPassword(password: string, storage: PasswordStorage): Promise<string> {
  if (storage === 'plain' && !isPasswordHash(password)) return password;
  return onePerCore(() => hash(password, ARGON2ID));
}

/** A value that only looks like a hash matches nothing. */
const unreadable = (error: Error): boolean => {
  if (error.message.startsWith('Decoding failed')) return false;
  throw error;
};

/** Whether `submitted` equals the password at rest, exactly (spec §Direct contract, login 2). */
export async function passwordMatches(stored: unknown, submitted: string): Promise<boolean> {
  if (typeof stored !== 'string') return false;
  if (isPasswordHash(stored)) return onePerCore(() => verify(stored, submitted).catch(unreadable));
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(stored), digest(submitted));
}
