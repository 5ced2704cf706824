import type { Socket } from 'node:net';
import { withTimeout } from '@gatehouse/shared/with-timeout';
import { Client, type Entry, type Filter } from 'ldapts';
import type { Connection, LdapSettings } from '../connection-records.ts';
import type { SsoOptions } from '../dependencies.ts';
import { SsoRefusal } from '../refusal.ts';
import { dial, LdapTimeoutError } from './dial.ts';
import { LDAP_LIMITS } from './options.ts';

/** Bytes that a directory may send in one login. */
const MAX_RECEIVED = 1024 * 1024;

export type LdapConnection = Connection & { ldap: LdapSettings };

export function asLdap(connection: Connection): LdapConnection {
  const { ldap } = connection;
  if (!ldap) throw new SsoRefusal('unknown connection', 'the connection has no settings of LDAP');
  return { ...connection, ldap };
}

/** The dependencies of the operations on a directory. */
export type DirectoryOptions = Pick<SsoOptions, 'config' | 'outbound' | 'secrets' | 'ldap'>;

/** A connection to a directory. Referrals are not followed, aliases not dereferenced. */
export interface Directory {
  socket: Socket;
  bind(dn: string, password: string): Promise<void>;
  /** Returns at most two entries: one is expected. */
  search(
    base: string,
    find: { filter: Filter | string; scope: 'base' | 'sub'; attributes: string[] },
  ): Promise<Entry[]>;
}

/**
 * Works with one directory over a connection that is closed afterwards, whatever happens.
 * @param time milliseconds for everything, from the name lookup to the end of the work.
 */
export async function atDirectory<T>(
  options: DirectoryOptions,
  ldap: LdapSettings,
  work: (directory: Directory) => Promise<T>,
  time = Number.POSITIVE_INFINITY,
): Promise<T> {
  const end = performance.now() + time;
  const { connectTimeout, operationTimeout, totalTimeout } = { ...LDAP_LIMITS, ...options.ldap };
  const socket = await dial(options, ldap, connectTimeout);
  let received = 0;
  socket.on('data', (chunk: Buffer) => {
    received += chunk.length;
    if (received > MAX_RECEIVED) socket.destroy(new Error('the directory sends too much'));
  });
  let isTaken = false;
  // The library connects again when the connection is lost: without StartTLS, and past the check of the address.
  const once = () => {
    if (isTaken) throw new Error('the server closed the connection');
    isTaken = true;
    return socket;
  };
  const client = new Client({
    url: ldap.url,
    timeout: operationTimeout,
    createConnection: once as typeof import('node:net').connect,
    createSecureConnection: once as unknown as typeof import('node:tls').connect,
  });
  const directory: Directory = {
    socket,
    bind: (dn, password) => client.bind(dn, password),
    search: async (base, { filter, scope, attributes }) => {
      const { searchEntries } = await client.search(base, {
        filter,
        scope,
        attributes,
        explicitBufferAttributes: ['objectGUID'],
        derefAliases: 'never',
        sizeLimit: 2,
        timeLimit: Math.ceil(operationTimeout / 1000),
      });
      return searchEntries;
    },
  };
  try {
    return await withTimeout(
      work(directory),
      Math.max(1, Math.min(totalTimeout, end - performance.now())),
      new LdapTimeoutError('the directory took too long'),
    );
  } finally {
    client.unbind().catch(() => {});
    socket.destroySoon();
    // For a directory that does not read.
    setTimeout(() => socket.destroy(), 1_000).unref();
  }
}
