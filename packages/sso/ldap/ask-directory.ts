import { EqualityFilter, type Filter, ResultCodeError } from 'ldapts';
import type { Verdict } from '../continue/verdict.ts';
import type { SsoOptions } from '../dependencies.ts';
import { SsoRefusal } from '../refusal.ts';
import type { Directory, LdapConnection } from './directory.ts';
import { withDirectory } from './failover.ts';
import { bindService, searchPerson } from './find-person.ts';
import { LOCK_ATTRIBUTES, lockOf } from './locked.ts';
import { profileOf } from './profile-of.ts';
import { unreachable } from './unreachable.ts';

/** RFC 4511 appendix A.1. */
const NO_SUCH_OBJECT = 32;

/** Whether a directory can be asked about a person: an account that searches is needed, not their password. */
export const canSearch = ({ ldap }: LdapConnection): boolean => ldap.user_filter !== null;

/**
 * Searches as `bind_dn` for a person who logged in before, and tells whether they may go on.
 * @throws {SsoRefusal} when the directory cannot be asked.
 */
export async function askDirectory(
  options: SsoOptions,
  connection: LdapConnection,
  { subject, username }: { subject: string; username: string },
): Promise<Verdict> {
  const ended = (detail: string): Verdict => ({ continues: false, detail, ends: 'person' });
  try {
    return await withDirectory(options, connection, async (directory) => {
      await bindService(options, directory, connection);
      const { entry } = await searchPerson(directory, connection, username, LOCK_ATTRIBUTES);
      if (entry && profileOf(entry, connection).subject === subject) {
        const lock = lockOf(entry, options.now());
        return lock === undefined ? { continues: true } : ended(`the directory has locked them: ${lock}`);
      }
      if (await exists(directory, connection, subject)) return ended('the filter no longer finds them');
      return { continues: false, detail: 'the directory no longer has them', ends: 'person', isGone: true };
    });
  } catch (error) {
    if (error instanceof SsoRefusal) throw error;
    throw unreachable(error as Error);
  }
}

/** Whether an entry is still there, by what identified it at the login; see ./profile-of.ts. */
async function exists(directory: Directory, { ldap }: LdapConnection, subject: string): Promise<boolean> {
  const find = (base: string, scope: 'base' | 'sub', filter: Filter | string) =>
    directory.search(base, { filter, scope, attributes: ['1.1'] });
  const base = String(ldap.base_dn);
  if (/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(subject)) {
    const filter = new EqualityFilter({ attribute: 'entryUUID', value: subject });
    return (await find(base, 'sub', filter)).length > 0;
  }
  if (/^[0-9a-f]{32}$/.test(subject)) {
    const filter = new EqualityFilter({ attribute: 'objectGUID', value: Buffer.from(subject, 'hex') });
    return (await find(base, 'sub', filter)).length > 0;
  }
  try {
    return (await find(subject, 'base', '(objectClass=*)')).length > 0;
  } catch (error) {
    if (error instanceof ResultCodeError && error.code === NO_SUCH_OBJECT) return false;
    throw error;
  }
}
