import { createCipheriv, scrypt } from 'node:crypto';
import { promisify } from 'node:util';
import { fromBase64, isEqual, type Scheme } from './scheme.ts';

const derive = promisify<Buffer, Buffer, number, object, Buffer>(scrypt);

/** 256 MiB, as of argon2, and about three seconds. */
const MAX_MEMORY = 2 ** 28;
const MAX_WORK = 2 ** 22;
/** Bytes. A shorter result could be guessed. */
const LENGTH = { min: 16, max: 128 };

interface Parameters {
  /** N, a power of two. */
  cost: number;
  /** r */
  blockSize: number;
  /** p */
  parallelization: number;
  salt: Buffer;
  hash: Buffer;
}

function exceeds({ cost, blockSize, parallelization, hash }: Parameters): boolean {
  // RFC 7914 §2: N is a power of two below 2^(128 · r / 8).
  const isDefined = cost > 1 && Number.isInteger(Math.log2(cost)) && cost < 2 ** (16 * blockSize);
  const memory = 128 * cost * blockSize;
  const work = cost * blockSize * parallelization;
  const fits = work > 0 && work <= MAX_WORK && memory <= MAX_MEMORY;
  return !isDefined || !fits || hash.length < LENGTH.min || hash.length > LENGTH.max;
}

const derived = (password: Buffer, { salt, cost, blockSize, parallelization }: Parameters, length: number) =>
  derive(password, salt, length, { cost, blockSize, parallelization, maxmem: 2 * MAX_MEMORY });

const notation = (pattern: RegExp, read: (...groups: string[]) => Parameters): Scheme => ({
  pattern,
  isTooCostly: (...groups) => exceeds(read(...groups)),
  verify: async (password, ...groups) => {
    const parameters = read(...groups);
    return isEqual(await derived(password, parameters, parameters.hash.length), parameters.hash);
  },
});

const numbers = (cost = '', blockSize = '', parallelization = '') => ({
  cost: Number(cost),
  blockSize: Number(blockSize),
  parallelization: Number(parallelization),
});

/** Firebase derives a key of this length, and encrypts the signer key of the project with it. */
const FIREBASE_KEY = 32;

const firebase = (
  cost = '',
  blockSize = '',
  parallelization = '',
  separator = '',
  _ = '',
  salt = '',
  hash = '',
) => ({
  ...numbers(String(2 ** Number(cost)), blockSize, parallelization),
  salt: Buffer.concat([fromBase64(salt), fromBase64(separator)]),
  hash: fromBase64(hash),
});

export const SCRYPT_SCHEMES: readonly Scheme[] = [
  // PHC, and passlib.
  notation(
    /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,4}),p=(\d{1,4})\$([A-Za-z0-9+/.=]*)\$([A-Za-z0-9+/.=]+)$/,
    (cost, blockSize, parallelization, salt = '', hash = '') => ({
      ...numbers(String(2 ** Number(cost)), blockSize, parallelization),
      salt: fromBase64(salt),
      hash: fromBase64(hash),
    }),
  ),
  // Django.
  notation(
    /^scrypt\$(\d{1,9})\$([^$]*)\$(\d{1,4})\$(\d{1,4})\$([A-Za-z0-9+/=]+)$/,
    (cost, salt = '', blockSize, parallelization, hash = '') => ({
      ...numbers(cost, blockSize, parallelization),
      salt: Buffer.from(salt),
      hash: fromBase64(hash),
    }),
  ),
  // Werkzeug, which Flask uses.
  notation(
    /^scrypt:(\d{1,9}):(\d{1,4}):(\d{1,4})\$([^$]*)\$([0-9a-f]+)$/,
    (cost, blockSize, parallelization, salt = '', hash = '') => ({
      ...numbers(cost, blockSize, parallelization),
      salt: Buffer.from(salt),
      hash: Buffer.from(hash, 'hex'),
    }),
  ),
  // Firebase (https://github.com/firebase/scrypt), in the notation of Supabase.
  {
    pattern:
      /^\$fbscrypt\$v=1,n=(\d{1,2}),r=(\d{1,4}),p=(\d{1,4}),ss=([A-Za-z0-9+/=]*),sk=([A-Za-z0-9+/=]+)\$([A-Za-z0-9+/=]*)\$([A-Za-z0-9+/=]+)$/,
    isTooCostly: (...groups) => exceeds(firebase(...groups)),
    verify: async (password, ...groups) => {
      const parameters = firebase(...groups);
      const key = await derived(password, parameters, FIREBASE_KEY);
      const cipher = createCipheriv('aes-256-ctr', key, Buffer.alloc(16));
      return isEqual(cipher.update(fromBase64(groups[4] ?? '')), parameters.hash);
    },
  },
];
