import { TLSSocket } from 'node:tls';
import { isCertificateError, reasonOf } from '@gatehouse/shared/outbound/reason';
import { ResultCodeError } from 'ldapts';
import type { Connection } from '../connection-records.ts';
import type { SsoOptions } from '../dependencies.ts';
import { atDirectory, type Directory, type LdapConnection } from '../ldap/directory.ts';
import { bindService, searchPerson } from '../ldap/find-person.ts';
import { profileOf } from '../ldap/profile-of.ts';
import { missingAttributes } from '../profile.ts';
import { SsoRefusal } from '../refusal.ts';
import { attributeFindings } from './attributes.ts';
import { certificateFinding } from './certificate.ts';
import type { Finding } from './finding.ts';

/**
 * Diagnoses an LDAP connection.
 * @param username a person to look for, without a password.
 */
export async function testLdap(
  options: SsoOptions,
  connection: Connection,
  username?: string,
): Promise<Finding[]> {
  const { ldap } = connection;
  if (!ldap) return [];
  const { url, fallback_urls = [] } = ldap;
  const tests = [url, ...fallback_urls].map((each) =>
    testUrl(options, { ...connection, ldap: { ...ldap, url: each } }, username),
  );
  const [first = [], ...others] = await Promise.all(tests);
  return [
    ...first,
    ...others.flatMap((findings, index) =>
      findings.map((finding) => ({ ...finding, check: `${finding.check} (${fallback_urls[index]})` })),
    ),
  ];
}

async function testUrl(
  options: SsoOptions,
  connection: LdapConnection,
  username: string | undefined,
): Promise<Finding[]> {
  try {
    return await atDirectory(options, connection.ldap, (directory) =>
      testDirectory(options, directory, connection, username),
    );
  } catch (error) {
    return [unreachable(error as Error)];
  }
}

function unreachable(error: Error): Finding {
  const reason = reasonOf(error);
  const description = reason === 'the request failed' ? error.message : reason;
  return isCertificateError(error)
    ? {
        level: 'error',
        check: 'TLS certificate',
        message: `The certificate of the directory is not accepted: ${description}. Check the host of url, or set ca.`,
      }
    : {
        level: 'error',
        check: 'Connection',
        message: `The directory cannot be reached: ${description}.`,
      };
}

async function testDirectory(
  options: SsoOptions,
  directory: Directory,
  connection: LdapConnection,
  username: string | undefined,
): Promise<Finding[]> {
  const { ldap } = connection;
  const findings: Finding[] = [{ level: 'ok', check: 'Connection', message: 'The directory answers.' }];
  findings.push(testTls(directory, options.now()));
  if (ldap.user_dn !== null) {
    findings.push({
      level: 'ok',
      check: 'People',
      message: 'People bind with their own name and password, which only a login can test.',
    });
    return findings;
  }
  try {
    await bindService(options, directory, connection);
  } catch (error) {
    if (!(error instanceof SsoRefusal)) throw error;
    return [
      ...findings,
      { level: 'error', check: 'Bind', message: `The directory refuses: ${error.detail}.` },
    ];
  }
  findings.push({
    level: 'ok',
    check: 'Bind',
    message: ldap.bind_dn === null ? 'The search is anonymous.' : `${ldap.bind_dn} can bind.`,
  });
  return [...findings, ...(await testSearch(directory, connection, username))];
}

function testTls({ socket }: Directory, now: number): Finding {
  if (socket instanceof TLSSocket)
    return certificateFinding('TLS certificate', new Date(socket.getPeerCertificate().valid_to), now);
  return {
    level: 'warning',
    check: 'TLS certificate',
    message: 'The connection is not encrypted: passwords can be read on the way. Use ldaps:// or start_tls.',
  };
}

async function testSearch(
  directory: Directory,
  connection: LdapConnection,
  username: string | undefined,
): Promise<Finding[]> {
  const base = String(connection.ldap.base_dn);
  try {
    const found = await directory.search(base, {
      filter: '(objectClass=*)',
      scope: 'base',
      attributes: ['1.1'],
    });
    if (found.length === 0)
      return [
        { level: 'error', check: 'Search', message: `${base} cannot be read by the account that searches.` },
      ];
    if (username === undefined) {
      const message =
        'The base of the search exists. Give a user name to test the filter and the attributes.';
      return [{ level: 'ok', check: 'Search', message }];
    }
    const { entry, count } = await searchPerson(directory, connection, username);
    if (!entry) {
      const message =
        count === 0
          ? `The filter finds nobody named ${username}.`
          : `The filter finds several people named ${username}, so they cannot log in.`;
      return [{ level: 'error', check: 'Search', message }];
    }
    return [
      { level: 'ok', check: 'Search', message: `The filter finds ${entry.dn}.` },
      ...attributeFindings(connection.attributes, missingAttributes(profileOf(entry, connection))),
    ];
  } catch (error) {
    if (!(error instanceof ResultCodeError)) throw error;
    return [
      {
        level: 'error',
        check: 'Search',
        message: `The search below ${base} fails: ${error.name} (result ${error.code}).`,
      },
    ];
  }
}
