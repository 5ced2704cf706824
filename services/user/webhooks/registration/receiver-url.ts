import { AppError } from '@gatehouse/shared/http/errors';
import { NotPublicError, publicAddresses, type Resolve } from '../delivery/public-address.ts';
import { withTimeout } from '../with-timeout.ts';

/** Milliseconds for the name servers while somebody waits; afterwards the address is judged whenever it is dialled. */
const RESOLVE_TIMEOUT = 1_500;

/** Refuses an address that webhooks will not be sent to. @throws {AppError} invalidFormat */
export type ValidateReceiverUrl = (url: string) => Promise<void>;

const refused = (why: string) => new AppError('invalidFormat', { text: `url ${why}` });

export const createReceiverUrlValidator =
  ({
    allowPrivate,
    httpsOnly,
    resolve,
  }: {
    allowPrivate: boolean;
    httpsOnly: boolean;
    resolve: Resolve;
  }): ValidateReceiverUrl =>
  async (text) => {
    // The parser would take line breaks and tabs out, and what is shown would not be what is called.
    const url = /[\s\p{Cc}\p{Cs}]/u.test(text) ? null : URL.parse(text);
    if (!url || !/^https?:$/.test(url.protocol))
      throw refused('must be an address that begins with https://');
    if (httpsOnly && url.protocol === 'http:') throw refused('must begin with https://');
    if (url.username || url.password) throw refused('must not hold a user name or a password');
    if (text.includes('#')) throw refused('must not hold a fragment');
    if (allowPrivate) return;
    try {
      await withTimeout(publicAddresses(url.hostname, resolve), RESOLVE_TIMEOUT, new Error('late'));
    } catch (error) {
      // A name that means nothing today may mean something tomorrow.
      if (error instanceof NotPublicError) throw refused('must lead to a public address');
    }
  };
