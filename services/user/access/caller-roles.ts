import { AppError } from '@gatehouse/shared/http/errors';
import { isEnrolled } from '@gatehouse/shared/identity/enrolled';
import { callerId, principalOf } from '@gatehouse/shared/identity/principal';
import type { FastifyRequest } from 'fastify';
import type { Database } from '../database.ts';
import { type Roles, rolesOf } from './roles.ts';
import { rolesOfServiceAccount } from './service-account-roles.ts';

/** The roles of the caller, for every decision about their request. */
export interface CallerRoles extends Roles {
  /** The organizations that require a second factor which this caller lacks, once the grace has ended. */
  closed: ReadonlySet<string>;
}

/** The roles of the caller with one query, whether or not an organization asks for a second factor. */
export function ownRolesOf(db: Database, request: FastifyRequest): Promise<Roles> {
  const { serviceAccount } = principalOf(request);
  return serviceAccount ? rolesOfServiceAccount(db, serviceAccount) : rolesOf(db, callerId(request));
}

/**
 * Reads the roles of the caller with one query. Only a session from a provider, of a caller whom an organization requires
 * to have a second factor, costs another.
 */
export async function callerRoles(db: Database, request: FastifyRequest): Promise<CallerRoles> {
  const { user, session, confirmedAt, checkedAt } = principalOf(request);
  const roles = await ownRolesOf(db, request);
  const closed = new Set(
    [...roles.graceEnds]
      .filter(([, at]) => Date.parse(at) <= checkedAt)
      .map(([organization_id]) => organization_id),
  );
  const hasFactor = isEnrolled(user, checkedAt);
  // A provider is not known to have asked for the factor; a code that has confirmed the session since counts.
  const isUnproven = session.sso === true && confirmedAt === session.beganAt;
  if (closed.size === 0 || (hasFactor && !isUnproven)) return { ...roles, closed: new Set() };
  const provider = session.sso && (await providerOf(db, session.id));
  // A directory checks only a password: the login asked for the factor, if there was one.
  if (provider && provider.protocol === 'ldap') return { ...roles, closed: hasFactor ? new Set() : closed };
  if (provider) closed.delete(provider.organization_id);
  return { ...roles, closed };
}

interface Provider {
  organization_id: string;
  protocol: string;
}

/** The provider that began a session. */
async function providerOf(db: Database, sid: string): Promise<Provider | undefined> {
  const [connection] = await db.ssoSessions
    .aggregate<Provider>([
      { $match: { sid } },
      {
        $lookup: {
          from: db.ssoConnections.collectionName,
          localField: 'connection_id',
          foreignField: 'connection_id',
          as: 'connection',
        },
      },
      { $unwind: '$connection' },
      {
        $project: {
          _id: 0,
          organization_id: '$connection.organization_id',
          protocol: '$connection.protocol',
        },
      },
    ])
    .toArray();
  return connection;
}

/** @throws {AppError} enrollmentRequired if the organization requires a second factor that the caller lacks. */
export function refuseUnenrolled({ closed }: CallerRoles, organization_id: string | null | undefined): void {
  if (organization_id && closed.has(organization_id))
    throw new AppError('enrollmentRequired', { details: { organization_id } });
}

/** The roles without those in organizations that are closed to the caller. */
export const openRoles = ({ closed, ...roles }: CallerRoles): Roles => ({
  ...roles,
  owned: new Set([...roles.owned].filter((organization_id) => !closed.has(organization_id))),
  departments: roles.departments.filter(({ organization_id }) => !closed.has(organization_id)),
});
