import { pbkdf2 } from 'node:crypto';
import { promisify } from 'node:util';
import { fromBase64, isEqual, type Scheme } from './scheme.ts';

const derive = promisify(pbkdf2);

/** About three seconds. Django 6 does 1,200,000. */
const MAX_ITERATIONS = 4_000_000;
/** Bytes. A shorter result could be guessed. */
const LENGTH = { min: 16, max: 128 };

interface Notation {
  pattern: RegExp;
  saltOf: (text: string) => Buffer;
  hashOf: (text: string) => Buffer;
}

/** @param notation its pattern captures the digest, the iterations, the salt and the hash. */
const notation = ({ pattern, saltOf, hashOf }: Notation): Scheme => ({
  pattern,
  isTooCostly: (digest, iterations, _, hash = '') => {
    const { length } = hashOf(hash);
    const blocks = Math.ceil(length / { sha1: 20, sha256: 32, sha512: 64 }[digest as Digest]);
    const total = Number(iterations) * blocks;
    return length < LENGTH.min || length > LENGTH.max || total < 1 || total > MAX_ITERATIONS;
  },
  verify: async (password, digest = '', iterations = '', salt = '', stored = '') => {
    const hash = hashOf(stored);
    return isEqual(await derive(password, saltOf(salt), Number(iterations), hash.length, digest), hash);
  },
});
type Digest = 'sha1' | 'sha256' | 'sha512';

const fromHex = (text: string) => Buffer.from(text, 'hex');
const fromText = (text: string) => Buffer.from(text);

export const PBKDF2_SCHEMES: readonly Scheme[] = [
  // PHC as Auth0 writes it (i=…,l=…), and passlib.
  notation({
    pattern:
      /^\$pbkdf2-(sha1|sha256|sha512)\$(?:i=)?(\d{1,9})(?:,l=\d+)?\$([A-Za-z0-9+/.=]*)\$([A-Za-z0-9+/.=]+)$/,
    saltOf: fromBase64,
    hashOf: fromBase64,
  }),
  // Django.
  notation({
    pattern: /^pbkdf2_(sha1|sha256)\$(\d{1,9})\$([^$]*)\$([A-Za-z0-9+/=]+)$/,
    saltOf: fromText,
    hashOf: fromBase64,
  }),
  // Werkzeug, which Flask uses.
  notation({
    pattern: /^pbkdf2:(sha1|sha256|sha512):(\d{1,9})\$([^$]*)\$([0-9a-f]+)$/,
    saltOf: fromText,
    hashOf: fromHex,
  }),
];
