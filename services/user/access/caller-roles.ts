import { AppError } from '@gatehouse/shared/http/errors';
import { isEnrolled } from '@gatehouse/shared/identity/enrolled';
import { callerId, principalOf } from '@gatehouse/shared/identity/principal';
import type { FastifyRequest } from 'fastify';
import type { Database } from '../database.ts';
import { type Roles, rolesOf } from './roles.ts';

/** The roles of the caller, for every decision about their request. */
export interface CallerRoles extends Roles {
  /** The organizations that require a second factor which this caller lacks, once the grace has ended. */
  closed: ReadonlySet<string>;
}

/**
 * Reads the roles of the caller with one query. Only a session from a provider, of a caller without a second factor whom
 * an organization requires to have one, costs another.
 */
export async function callerRoles(db: Database, request: FastifyRequest): Promise<CallerRoles> {
  const { user, session, checkedAt } = principalOf(request);
  const roles = await rolesOf(db, callerId(request));
  const closed = new Set(
    [...roles.graceEnds]
      .filter(([, at]) => Date.parse(at) <= checkedAt)
      .map(([organization_id]) => organization_id),
  );
  if (closed.size === 0 || isEnrolled(user, checkedAt)) return { ...roles, closed: new Set() };
  const provider = session.sso && (await organizationOfProvider(db, session.id));
  if (provider) closed.delete(provider);
  return { ...roles, closed };
}

/** The organization whose provider began a session. A directory checks only a password, so it counts for none. */
async function organizationOfProvider(db: Database, sid: string): Promise<string | undefined> {
  const [connection] = await db.ssoSessions
    .aggregate<{ organization_id: string }>([
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
      { $match: { 'connection.protocol': { $ne: 'ldap' } } },
      { $project: { _id: 0, organization_id: '$connection.organization_id' } },
    ])
    .toArray();
  return connection?.organization_id;
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
