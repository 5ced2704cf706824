import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { crc32 } from 'node:zlib';

/**
 * `gh_<id>_<secret><check>`: 16, 43 and 6 characters of 0-9, A-Z and a-z. The check is the CRC-32 of what precedes it, so
 * that a typing error is refused without a database read, and a scanner for secrets can tell a key from other text.
 */
const FORMAT = /^gh_([0-9A-Za-z]{16})_([0-9A-Za-z]{43})([0-9A-Za-z]{6})$/;

/** No session token begins so: the header of a JWT begins with `ey`. */
export const KEY_PREFIX = 'gh_';

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const BASE = BigInt(DIGITS.length);

/** The number in base 62, with at least so many digits. */
function base62(number: bigint, length: number): string {
  let digits = '';
  for (let rest = number; rest > 0n; rest /= BASE) digits = `${DIGITS[Number(rest % BASE)]}${digits}`;
  return digits.padStart(length, '0');
}

const random = (bytes: number, length: number): string =>
  base62(BigInt(`0x${randomBytes(bytes).toString('hex')}`), length);

export const newKeyId = (): string => random(12, 16).slice(-16);

/** 256 random bits. */
export const newKeySecret = (): string => random(32, 43);

/** The text that its owner keeps. */
export function keyText(id: string, secret: string): string {
  const text = `${KEY_PREFIX}${id}_${secret}`;
  return `${text}${checkOf(text)}`;
}

const checkOf = (text: string): string => base62(BigInt(crc32(text)), 6);

/** Returns what a key consists of; undefined if the text is none. */
export function parseKey(text: string): { id: string; secret: string } | undefined {
  const [, id, secret, check] = FORMAT.exec(text) ?? [];
  if (!id || !secret || check !== checkOf(`${KEY_PREFIX}${id}_${secret}`)) return undefined;
  return { id, secret };
}

/** What is stored. A plain digest suffices: nobody guesses 256 random bits. */
export const secretHash = (secret: string): string => createHash('sha256').update(secret).digest('hex');

/** Compares in constant time. */
export const isSecret = (secret: string, hash: string): boolean =>
  timingSafeEqual(Buffer.from(secretHash(secret), 'hex'), Buffer.from(hash, 'hex'));
