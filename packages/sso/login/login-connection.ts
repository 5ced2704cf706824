import { includesSso, planStages, type SsoPlan } from '@gatehouse/shared/identity/sso';
import type { Filter } from 'mongodb';
import type { Connection } from '../connection-records.ts';
import type { SsoOptions } from '../dependencies.ts';
import { SsoRefusal } from '../refusal.ts';

/** A connection, and whether the plan of its organization includes single sign-on. */
export interface Candidate {
  connection: Connection;
  hasPlan: boolean;
}

/** Returns a connection that people may log in through. @throws {SsoRefusal} when there is none. */
export async function loginConnection(
  options: Pick<SsoOptions, 'db' | 'now'>,
  which: Pick<Connection, 'protocol'> & ({ slug: string } | { connection_id: string }),
): Promise<Connection> {
  const [candidate] = await findCandidates(options, which);
  if (!candidate) throw new SsoRefusal('unknown connection');
  requireUsable(candidate);
  return candidate.connection;
}

/** Returns the first two connections that match. */
export async function findCandidates(
  { db, now }: Pick<SsoOptions, 'db' | 'now'>,
  which: Filter<Connection>,
): Promise<Candidate[]> {
  const found = await db.ssoConnections
    .aggregate<Connection & SsoPlan>([{ $match: which }, { $limit: 2 }, ...planStages(now())])
    .toArray();
  return found.map(({ paid_departments, paying_owners, ...connection }) => ({
    connection,
    hasPlan: includesSso({ paid_departments, paying_owners }),
  }));
}

/** @throws {SsoRefusal} unless people may log in through a connection. */
export function requireUsable({ connection, hasPlan }: Candidate): void {
  if (!connection.enabled) throw new SsoRefusal('connection disabled');
  if (!hasPlan) throw new SsoRefusal('plan without single sign-on');
}
