import type { LdapSettings } from '../connection-records.ts';
import type { SsoOptions } from '../dependencies.ts';

/** Where a directory listens. */
export interface Endpoint {
  /** As the URL standard normalizes it; without the brackets of an IPv6 address. */
  host: string;
  port: number;
  /** Whether TLS comes first; with StartTLS it comes later. */
  isLdaps: boolean;
}

const PORTS = { ldap: 389, ldaps: 636 } as const;
/** LDAP and the global catalog of Active Directory; others only in networks that the operator allows. */
const STANDARD_PORTS: readonly number[] = [389, 636, 3268, 3269];

/** Parses an LDAP URL of a server (RFC 4516 without the parts after the port); undefined if it is none. */
export function parseLdapUrl(text: string): Endpoint | undefined {
  const [, scheme, authority = '', port] =
    /^(ldaps?):\/\/([^\s/?#@\\%]+?)(?::(\d{1,5}))?\/?$/i.exec(text) ?? [];
  if (!scheme) return undefined;
  // Normalizes IPv4 addresses in unusual spellings.
  const host = URL.parse(`https://${authority}`)?.hostname.replace(/^\[(.*)\]$/, '$1');
  const isLdaps = scheme.toLowerCase() === 'ldaps';
  const number = Number(port ?? PORTS[isLdaps ? 'ldaps' : 'ldap']);
  if (!host || number < 1 || number > 65_535) return undefined;
  return { host, port: number, isLdaps };
}

/**
 * Resolves the host of a directory. Without TLS the password would be readable on the way, so in production such a
 * directory must be in a network that the operator allows.
 * @throws {NotPublicError} when it may not be dialed.
 */
export function directoryAddresses(
  { config, outbound }: Pick<SsoOptions, 'config' | 'outbound'>,
  { host, port, isLdaps }: Endpoint,
  { start_tls }: Pick<LdapSettings, 'start_tls'>,
): Promise<string[]> {
  const isClear = !isLdaps && !start_tls && config.NODE_ENV === 'production';
  return outbound.resolve(host, { trusted: isClear || !STANDARD_PORTS.includes(port) });
}
