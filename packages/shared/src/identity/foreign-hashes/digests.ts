import { hash } from 'node:crypto';
import { fromBase64, isEqual, type Scheme } from './scheme.ts';

const LENGTHS = { md5: 16, sha: 20, sha256: 32, sha384: 48, sha512: 64 };
type Named = keyof typeof LENGTHS;

const algorithmOf = (name: Named) => (name === 'sha' ? 'sha1' : name);

/** Digests of one round: a thief guesses them by the billion. They are here to be replaced at the next login. */
export const DIGEST_SCHEMES: readonly Scheme[] = [
  // Directories (RFC 2307 and its successors): the digest, followed by the salt.
  {
    pattern: /^\{S?(MD5|SHA|SHA256|SHA384|SHA512)\}([A-Za-z0-9+/=]+)$/i,
    isTooCostly: (name = '', text = '') => fromBase64(text).length < LENGTHS[name.toLowerCase() as Named],
    verify: (password, name = '', text = '') => {
      const algorithm = name.toLowerCase() as Named;
      const bytes = fromBase64(text);
      const [digest, salt] = [bytes.subarray(0, LENGTHS[algorithm]), bytes.subarray(LENGTHS[algorithm])];
      return isEqual(hash(algorithmOf(algorithm), Buffer.concat([password, salt]), 'buffer'), digest);
    },
  },
  // Django of long ago.
  {
    pattern: /^(md5|sha1)\$([^$]*)\$([0-9a-f]{32}|[0-9a-f]{40})$/,
    verify: (password, algorithm = '', salt = '', digest = '') =>
      isEqual(
        hash(algorithm, Buffer.concat([Buffer.from(salt), password]), 'buffer'),
        Buffer.from(digest, 'hex'),
      ),
  },
];
