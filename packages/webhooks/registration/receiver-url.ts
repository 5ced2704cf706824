import { AppError } from '@gatehouse/shared/http/errors';
import { isAllowedPort, listPorts, type PortRange } from '@gatehouse/shared/outbound/ports';
import { NotPublicError, publicAddresses, type Resolve } from '@gatehouse/shared/outbound/public-address';
import { withTimeout } from '@gatehouse/shared/with-timeout';

/** Rejects a URL that webhooks may not be sent to. @throws {AppError} invalidFormat */
export type ValidateReceiverUrl = (url: string) => Promise<void>;

const invalid = (reason: string) => new AppError('invalidFormat', { text: `url ${reason}` });

export const createReceiverUrlValidator =
  ({
    allowPrivate,
    ports,
    httpsOnly,
    resolve,
    resolveTimeout,
  }: {
    /** Allows every address and every port. */
    allowPrivate: boolean;
    ports: readonly PortRange[];
    httpsOnly: boolean;
    resolve: Resolve;
    /** Milliseconds for the name servers. Addresses are checked again at every connection. */
    resolveTimeout: number;
  }): ValidateReceiverUrl =>
  async (text) => {
    // URL.parse removes tabs and line breaks, so the stored URL would differ from the one called.
    const url = /[\s\p{Cc}\p{Cs}]/u.test(text) ? null : URL.parse(text);
    if (!url || !/^https?:$/.test(url.protocol)) throw invalid('must be a URL that begins with https://');
    if (httpsOnly && url.protocol === 'http:') throw invalid('must begin with https://');
    if (url.username || url.password) throw invalid('must not contain a user name or password');
    if (text.includes('#')) throw invalid('must not contain a fragment');
    if (allowPrivate) return;
    if (!isAllowedPort(url, ports)) throw invalid(`must use port ${listPorts(ports)}`);
    try {
      await withTimeout(publicAddresses(url.hostname, resolve), resolveTimeout, new Error('timed out'));
    } catch (error) {
      // A name that does not resolve yet is accepted.
      if (error instanceof NotPublicError) throw invalid('must resolve to public addresses');
    }
  };
