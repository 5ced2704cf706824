import { AppError } from '@gatehouse/shared/http/errors';
import type { z } from 'zod';
import { type Connection, PROTOCOLS } from '../connection-records.ts';
import type { SsoOptions } from '../dependencies.ts';
import type { Preset } from './attributes.ts';
import { type ldapInput, ldapSettings } from './ldap-settings.ts';
import { type oidcInput, oidcSettings } from './oidc-settings.ts';
import { type samlInput, samlSettings } from './saml-settings.ts';

interface Given {
  preset?: Preset;
  saml?: z.infer<typeof samlInput>;
  oidc?: z.infer<typeof oidcInput>;
  ldap?: z.infer<typeof ldapInput>;
}

/**
 * Returns the settings of a connection's protocol with what the caller gives.
 * @param before absent for a new connection.
 * @throws {AppError} invalidFormat or missingField, which names the field.
 */
export async function protocolSettings(
  options: SsoOptions,
  connection: Pick<Connection, 'connection_id' | 'slug' | 'protocol'>,
  given: Given,
  before?: Connection,
): Promise<Pick<Connection, 'saml' | 'oidc' | 'ldap'>> {
  const { protocol } = connection;
  const other = PROTOCOLS.find((name) => name !== protocol && given[name] !== undefined);
  if (other)
    throw new AppError('invalidFormat', { text: `${other} cannot be set for the protocol ${protocol}` });
  const { preset, oidc, ldap } = given;
  const saml = given.saml ?? (protocol === 'saml' && preset ? {} : undefined);
  if (saml) return { saml: await samlSettings(options, connection, saml, before?.saml, preset) };
  if (oidc) return { oidc: await oidcSettings(options, connection, oidc, before?.oidc) };
  if (ldap) return { ldap: await ldapSettings(options, connection, ldap, before?.ldap) };
  return {};
}

/** @throws {AppError} invalidFormat unless the department is one of the organization. */
export async function requireDepartment(
  { host }: Pick<SsoOptions, 'host'>,
  organization_id: string,
  department_id: string | null | undefined,
): Promise<void> {
  if (department_id === null || department_id === undefined) return;
  if (!(await host.hasDepartment(organization_id, department_id)))
    throw new AppError('invalidFormat', {
      text: 'default_department_id must be a department of the organization',
    });
}
