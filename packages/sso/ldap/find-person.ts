import { randomUUID } from 'node:crypto';
import { type Entry, ResultCodeError } from 'ldapts';
import type { AttributeNames } from '../connection-records.ts';
import { SsoRefusal } from '../refusal.ts';
import type { Directory, DirectoryOptions, LdapConnection } from './directory.ts';
import { escapeDn, escapeFilter, fillIn } from './escape.ts';

/** Permanent identifiers of an entry: RFC 4530, and Active Directory's. */
const PERMANENT_IDS = ['entryUUID', 'objectGUID'] as const;

const requestedAttributes = (names: AttributeNames): string[] => [
  ...new Set([...Object.values(names), ...PERMANENT_IDS]),
];

/** Binds as the account that searches. @throws {SsoRefusal} provider unavailable when it may not. */
export async function bindService(
  { secrets }: Pick<DirectoryOptions, 'secrets'>,
  directory: Directory,
  { connection_id, ldap }: LdapConnection,
): Promise<void> {
  const { bind_dn, bind_password } = ldap;
  if (bind_dn === null || bind_password === null) return;
  try {
    await directory.bind(bind_dn, secrets.open(bind_password, connection_id));
  } catch (error) {
    if (!(error instanceof ResultCodeError)) throw error;
    throw new SsoRefusal('provider unavailable', `${bind_dn} cannot bind: ${describe(error)}`, error);
  }
}

/** Finds the entry of a person; undefined unless there is exactly one. @param more attributes besides the mapped ones. */
export async function searchPerson(
  directory: Directory,
  { ldap, attributes }: LdapConnection,
  username: string,
  more: readonly string[] = [],
): Promise<{ entry: Entry | undefined; count: number }> {
  const entries = await directory.search(String(ldap.base_dn), {
    filter: fillIn(String(ldap.user_filter), username, escapeFilter),
    scope: 'sub',
    attributes: [...requestedAttributes(attributes), ...more],
  });
  const [entry] = entries;
  // An empty name would bind anonymously.
  const isUsable = entries.length === 1 && typeof entry?.dn === 'string' && entry.dn.includes('=');
  return { entry: isUsable ? entry : undefined, count: entries.length };
}

/**
 * Returns the entry of a person who binds with their password.
 * @throws {SsoRefusal} credentials refused for an unknown name and for a wrong password alike.
 */
export async function authenticatePerson(
  options: Pick<DirectoryOptions, 'secrets'>,
  directory: Directory,
  connection: LdapConnection,
  { username, password }: { username: string; password: string },
): Promise<Entry> {
  const { ldap, attributes } = connection;
  if (ldap.user_dn !== null) {
    const dn = fillIn(ldap.user_dn, username, escapeDn);
    await bindPerson(directory, dn, password);
    const entries = await directory.search(dn, {
      filter: '(objectClass=*)',
      scope: 'base',
      attributes: requestedAttributes(attributes),
    });
    const [entry] = entries;
    if (!entry || entries.length > 1)
      throw new SsoRefusal('provider unavailable', `${dn} may not read their own entry`);
    return entry;
  }
  await bindService(options, directory, connection);
  const { entry, count } = await searchPerson(directory, connection, username);
  if (!entry) {
    // Takes about as long as a wrong password.
    await bindPerson(directory, `cn=${randomUUID()},${ldap.base_dn}`, password).catch(() => {});
    throw new SsoRefusal(
      'credentials refused',
      count === 0 ? 'the filter finds nobody' : 'the filter finds several entries',
    );
  }
  await bindPerson(directory, entry.dn, password);
  return entry;
}

/** Results of a bind that do not mean that the credentials are wrong (RFC 4511 appendix A). */
const UNAVAILABLE: readonly number[] = [
  1, // operationsError
  2, // protocolError
  7, // authMethodNotSupported
  8, // strongerAuthRequired
  10, // referral, which is not followed
  13, // confidentialityRequired
  51, // busy
  52, // unavailable
];

async function bindPerson(directory: Directory, dn: string, password: string): Promise<void> {
  try {
    await directory.bind(dn, password);
  } catch (error) {
    if (!(error instanceof ResultCodeError)) throw error;
    const reason = UNAVAILABLE.includes(error.code) ? 'provider unavailable' : 'credentials refused';
    throw new SsoRefusal(reason, `${dn} cannot bind: ${describe(error)}`, error);
  }
}

const describe = ({ code, name }: ResultCodeError): string => `${name} (result ${code})`;
