import { SsoRefusal } from '../refusal.ts';
import { atDirectory, type Directory, type DirectoryOptions, type LdapConnection } from './directory.ts';
import { LDAP_LIMITS } from './options.ts';

/**
 * Works with the first directory of a connection that can do it. When one cannot be reached, hangs or refuses the
 * service, the next is tried, each within its part of the time. The answer of a directory about a person is final.
 */
export async function withDirectory<T>(
  options: DirectoryOptions,
  { ldap }: LdapConnection,
  work: (directory: Directory) => Promise<T>,
): Promise<T> {
  const { connectTimeout, totalTimeout, ...limits } = { ...LDAP_LIMITS, ...options.ldap };
  const urls = [ldap.url, ...(ldap.fallback_urls ?? [])];
  const end = performance.now() + connectTimeout + totalTimeout;
  let problem: unknown;
  for (const [index, url] of urls.entries()) {
    const share = Math.max(1, (end - performance.now()) / (urls.length - index));
    const tuning = {
      ...limits,
      connectTimeout: Math.min(connectTimeout, share),
      totalTimeout: Math.min(totalTimeout, share),
    };
    try {
      return await atDirectory({ ...options, ldap: tuning }, { ...ldap, url }, work, share);
    } catch (error) {
      if (error instanceof SsoRefusal && error.refusal !== 'provider unavailable') throw error;
      problem ??= error;
    }
  }
  throw problem;
}
