import type { FastifyRequest } from 'fastify';
import type { SsoOptions } from '../../../../services/user/sso/options.ts';
import type { Profile } from '../../../../services/user/sso/profile.ts';
import { provision } from '../../../../services/user/sso/provisioning/provision.ts';
import type { Connection } from '../../../../services/user/sso/records.ts';
import type { SsoService } from '../sso-service.ts';

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
export function provisioner({ db, clock }: Pick<SsoService, 'db' | 'clock'>) {
  const warnings: object[] = [];
  const log = { info() {}, error() {}, warn: (fields: object) => void warnings.push(fields) };
  const request = { id: 'request', ip: '127.0.0.1', log } as unknown as FastifyRequest;
  const options: Pick<SsoOptions, 'db' | 'now'> = { db, now: clock.now };
  return {
    /** What the operator was warned of. */
    warnings,
    /** Logs Grace in, with these differences. */
    logIn: (connection: Connection, changes: Partial<Profile> = {}) =>
      provision(options, request, connection, { ...GRACE, ...changes }),
  };
}
