import { collection } from '@gatehouse/shared/data/connect';

/**
 * A code that was asked for with an address, whether or not it has an account: so an answer costs the same for every
 * address.
 */
export interface LoginCode {
  /** The digest of the address, and the id in the token of the request. */
  _id: string;
  /** The keyed digest of the code; absent once it is used. */
  digest?: string;
  issued_at: Date;
  expires_at: Date;
  /** With the token of the request. */
  holder_guesses: number;
  /** Without it. */
  other_guesses: number;
  /** Result of the latest guess. */
  verdict?: 'dead' | 'wrong' | 'right';
}

export const loginCodeCollections = {
  loginCodes: collection<LoginCode>('login_codes', [{ key: { expires_at: 1 }, expireAfterSeconds: 0 }]),
};
