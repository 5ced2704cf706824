import type { Connection } from '@gatehouse/sso/connection-records';
import type { Profile } from '@gatehouse/sso/profile';
import type { FastifyRequest } from 'fastify';
import type { ProvisioningOptions } from '../../../services/user/provisioning/options.ts';
import { provision } from '../../../services/user/provisioning/provision.ts';
import type { SsoService } from '../../sso/sso-service.ts';

/** What a provider says of Grace, who works at corp.example. */
export const GRACE: Profile = {
  subject: 'grace-0001',
  email: 'grace@corp.example',
  emailVerified: true,
  firstName: 'Grace',
  lastName: 'Hopper',
  role: undefined,
  department: undefined,
};

/** Provisions accounts without a provider. */
function provisioner({ db, clock }: Pick<SsoService, 'db' | 'clock'>) {
  const warnings: object[] = [];
  const log = { info() {}, error() {}, warn: (fields: object) => void warnings.push(fields) };
  const headers = { 'accept-language': 'de-CH, en;q=0.8' };
  const request = { id: 'request', ip: '127.0.0.1', headers, log } as unknown as FastifyRequest;
  const options: Pick<ProvisioningOptions, 'db' | 'now'> = { db, now: clock.now };
  return {
    /** What the operator was warned of. */
    warnings,
    /** Logs Grace in, with these differences. */
    logIn: (connection: Connection, changes: Partial<Profile> = {}) =>
      provision(options, request, connection, { ...GRACE, ...changes }),
  };
}

let organizations = 0;

/** Stores an organization with a verified domain of its own and a connection, where Grace logs in. */
export async function newEmployer(service: SsoService) {
  organizations += 1;
  const domain = `corp${organizations}.example`;
  const email = `grace@${domain}`;
  const organization = await service.newOrganization({ domain });
  const connection = await service.newConnection(organization, { protocol: 'ldap' });
  const grace = provisioner(service);
  return {
    domain,
    email,
    organization,
    connection,
    warnings: grace.warnings,
    logIn: (changes: Partial<Profile> = {}, through: Connection = connection) =>
      grace.logIn(through, { email, ...changes }),
  };
}

export type Employer = Awaited<ReturnType<typeof newEmployer>>;
