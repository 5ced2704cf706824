import { collection } from '@gatehouse/shared/data/connect';

/** A requested code. It is stored whether or not the address has an account, so that every answer costs the same. */
export interface LoginCode {
  /** The digest of the address, and the id in the token of the request. */
  _id: string;
  /** The keyed digest of the code; absent once it is used. */
  digest?: string;
  issued_at: Date;
  expires_at: Date;
  /** Wrong guesses with the token of the request. */
  holder_guesses: number;
  /** Wrong guesses without it. */
  other_guesses: number;
  /** Result of the latest guess. */
  verdict?: 'dead' | 'wrong' | 'right';
}

export const loginCodeCollections = {
  loginCodes: collection<LoginCode>('login_codes', [{ key: { expires_at: 1 }, expireAfterSeconds: 0 }]),
};
