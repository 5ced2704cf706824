import { timingSafeEqual } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';

/** How one notation of a hash is read and verified. */
export interface Scheme {
  /** Matches the whole hash. The groups are the parameters of the functions. */
  pattern: RegExp;
  /** Whether it costs more than a login may, or names parameters that its algorithm does not know. */
  isTooCostly?(...groups: string[]): boolean;
  verify(password: Buffer, ...groups: string[]): boolean | Promise<boolean>;
}

/** Decodes base64 with or without padding, also with the dots that passlib writes for plus signs. */
export const fromBase64 = (text: string): Buffer => Buffer.from(text.replaceAll('.', '+'), 'base64');

export const isEqual = (one: Buffer, other: Buffer): boolean =>
  one.length === other.length && timingSafeEqual(one, other);

/** Rounds after which other work gets its turn. */
const SLICE = 500;

/** Runs the rounds of a hash that Node does not have on its thread pool. */
export async function repeat(rounds: number, step: (round: number) => void): Promise<void> {
  for (let round = 0; round < rounds; round += 1) {
    if (round % SLICE === SLICE - 1) await setImmediate();
    step(round);
  }
}

const ALPHABET = './0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** The number that a character stands for in the base64 of crypt(3). */
export const cryptDigit = (character = ''): number => ALPHABET.indexOf(character);

/** Writes the bytes at these positions, the last one first, as crypt(3) does: six bits each, the lowest first. */
export function cryptBase64(bytes: Buffer, positions: readonly number[]): string {
  const value = positions.reduce((sum, position) => sum * 256 + (bytes[position] ?? 0), 0);
  const length = Math.ceil((positions.length * 8) / 6);
  return Array.from({ length }, (_, index) => ALPHABET[(value >> (6 * index)) & 63]).join('');
}
