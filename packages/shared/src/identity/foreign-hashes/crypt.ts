import { hash } from 'node:crypto';
import { cryptBase64, isEqual, repeat, type Scheme } from './scheme.ts';

/** Rounds of a hash without a number, and those that one login may take on the thread of the service. */
const ROUNDS = { standard: 5_000, max: 200_000 };
const MD5_ROUNDS = 1_000;
/** Bytes of a password. The first steps cost its length squared. */
const MAX_PASSWORD = 256;

const filled = (block: Buffer, length: number): Buffer => Buffer.alloc(length, block);

/** What a round hashes: whether the previous result or the password begins and ends it, and what is between. */
function roundInput(round: number, previous: Buffer, password: Buffer, salt: Buffer): Buffer {
  const isOdd = round % 2 === 1;
  return Buffer.concat([
    isOdd ? password : previous,
    round % 3 === 0 ? Buffer.alloc(0) : salt,
    round % 7 === 0 ? Buffer.alloc(0) : password,
    isOdd ? previous : password,
  ]);
}

/** MD5-crypt of FreeBSD, and that of Apache with a name of its own. */
async function md5Crypt(password: Buffer, name: string, saltText: string): Promise<string> {
  const md5 = (...parts: Buffer[]) => hash('md5', Buffer.concat(parts), 'buffer');
  const salt = Buffer.from(saltText);
  const start = [password, Buffer.from(name), salt, filled(md5(password, salt, password), password.length)];
  for (let bits = password.length; bits > 0; bits >>= 1)
    start.push(bits & 1 ? Buffer.alloc(1) : password.subarray(0, 1));
  let digest = md5(...start);
  await repeat(MD5_ROUNDS, (round) => {
    digest = md5(roundInput(round, digest, password, salt));
  });
  const order = [[0, 6, 12], [1, 7, 13], [2, 8, 14], [3, 9, 15], [4, 10, 5], [11]];
  return order.map((positions) => cryptBase64(digest, positions)).join('');
}

interface ShaVariant {
  algorithm: 'sha256' | 'sha512';
  /** Groups of positions in the digest; each follows from the one before. */
  first: readonly [number, number, number];
  next: (group: readonly number[]) => number[];
  groups: number;
  last: readonly number[];
}

const SHA256: ShaVariant = {
  algorithm: 'sha256',
  first: [0, 10, 20],
  next: ([a = 0, b = 0, c = 0]) => [c + 1, a + 1, b + 1],
  groups: 10,
  last: [31, 30],
};
const SHA512: ShaVariant = {
  algorithm: 'sha512',
  first: [0, 21, 42],
  next: ([a = 0, b = 0, c = 0]) => [b + 1, c + 1, a + 1],
  groups: 21,
  last: [63],
};

/** SHA-crypt (https://www.akkadia.org/drepper/SHA-crypt.txt). */
async function shaCrypt(
  password: Buffer,
  { algorithm, first, next, groups, last }: ShaVariant,
  rounds: number,
  saltText: string,
): Promise<string> {
  const sha = (...parts: Buffer[]) => hash(algorithm, Buffer.concat(parts), 'buffer');
  const saltBytes = Buffer.from(saltText);
  const inner = sha(password, saltBytes, password);
  const start = [password, saltBytes, filled(inner, password.length)];
  for (let bits = password.length; bits > 0; bits >>= 1) start.push(bits & 1 ? inner : password);
  let digest = sha(...start);
  const repeatedPassword = sha(...Array.from({ length: password.length }, () => password));
  const repeatedSalt = sha(...Array.from({ length: 16 + (digest[0] ?? 0) }, () => saltBytes));
  const keys = [filled(repeatedPassword, password.length), filled(repeatedSalt, saltBytes.length)] as const;
  await repeat(rounds, (round) => {
    digest = sha(roundInput(round, digest, ...keys));
  });
  const order: (readonly number[])[] = [first];
  while (order.length < groups) order.push(next(order.at(-1) ?? first));
  return [...order, last].map((positions) => cryptBase64(digest, positions)).join('');
}

const sha = (variant: ShaVariant, pattern: RegExp): Scheme => ({
  pattern,
  isTooCostly: (rounds) => roundsOf(rounds) > ROUNDS.max,
  verify: async (password, rounds, salt = '', stored = '') => {
    if (password.length > MAX_PASSWORD) return false;
    const encoded = await shaCrypt(password, variant, roundsOf(rounds), salt);
    return isEqual(Buffer.from(encoded), Buffer.from(stored));
  },
});

const roundsOf = (text: string | undefined) =>
  text === undefined ? ROUNDS.standard : Math.max(1_000, Number(text));

/** The hashes of crypt(3), of a directory with a prefix. */
export const CRYPT_SCHEMES: readonly Scheme[] = [
  {
    pattern: /^(?:\{CRYPT\})?(\$(?:1|apr1)\$)([^$]{0,8})\$([./0-9A-Za-z]{22})$/i,
    verify: async (password, name = '', salt = '', stored = '') =>
      isEqual(Buffer.from(await md5Crypt(password, name, salt)), Buffer.from(stored)),
  },
  sha(SHA256, /^(?:\{CRYPT\})?\$5\$(?:rounds=(\d{1,9})\$)?([^$]{0,16})\$([./0-9A-Za-z]{43})$/i),
  sha(SHA512, /^(?:\{CRYPT\})?\$6\$(?:rounds=(\d{1,9})\$)?([^$]{0,16})\$([./0-9A-Za-z]{86})$/i),
];
