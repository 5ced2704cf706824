import { ClearTextError } from './clear-text.ts';
import { PortError } from './ports.ts';
import { NotPublicError } from './public-address.ts';

const REASONS: Record<string, string> = {
  ENOTFOUND: 'the name does not resolve',
  ENODATA: 'the name does not resolve',
  ETIMEOUT: 'the name servers did not answer',
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was closed',
  UND_ERR_SOCKET: 'the connection was closed',
  UND_ERR_CONNECT_TIMEOUT: 'the connection timed out',
  UND_ERR_HEADERS_TIMEOUT: 'no response in time',
  UND_ERR_BODY_TIMEOUT: 'no complete response in time',
  UND_ERR_RES_EXCEEDED_MAX_SIZE: 'the response is too long',
  ETIMEDOUT: 'the connection timed out',
  EHOSTUNREACH: 'the host is unreachable',
  ENETUNREACH: 'the host is unreachable',
};

/** Why a call to an address of a customer failed, for the customer; reveals nothing about this service. */
export function reasonOf(error: Error & { code?: string }): string {
  if (error instanceof NotPublicError || error instanceof PortError || error instanceof ClearTextError)
    return error.message;
  const { code = '' } = error;
  if (isCertificateError(error)) return `TLS failed (${code})`;
  if (error.name === 'HTTPParserError') return 'the response was not HTTP';
  if (error.name === 'TimeoutError') return 'no complete response in time';
  return REASONS[code] ?? 'the request failed';
}

/** Whether the TLS handshake failed, most often because the certificate was not accepted. */
export const isCertificateError = ({ code = '' }: Error & { code?: string }): boolean =>
  /^(?:CERT_|ERR_TLS_|ERR_SSL_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_)/.test(code);
