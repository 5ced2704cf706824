import { hash } from 'node:crypto';
import { cryptBase64, cryptDigit, isEqual, repeat, type Scheme } from './scheme.ts';

/** The rounds are two to the power of this. WordPress does 2^13. */
const MAX_COST = 17;

/** Positions in the digest, three at a time, the last one first. */
const ORDER = [[2, 1, 0], [5, 4, 3], [8, 7, 6], [11, 10, 9], [14, 13, 12], [15]];

/** The portable hashes of phpass, which WordPress (until 6.7), phpBB and others use. */
export const PHPASS_SCHEMES: readonly Scheme[] = [
  {
    pattern: /^\$[PH]\$([./0-9A-Za-z])([./0-9A-Za-z]{8})([./0-9A-Za-z]{22})$/,
    isTooCostly: (cost) => cryptDigit(cost) < 7 || cryptDigit(cost) > MAX_COST,
    verify: async (password, cost, salt = '', stored = '') => {
      let digest = hash('md5', Buffer.concat([Buffer.from(salt), password]), 'buffer');
      await repeat(2 ** cryptDigit(cost), () => {
        digest = hash('md5', Buffer.concat([digest, password]), 'buffer');
      });
      const encoded = ORDER.map((positions) => cryptBase64(digest, positions)).join('');
      return isEqual(Buffer.from(encoded), Buffer.from(stored));
    },
  },
];
