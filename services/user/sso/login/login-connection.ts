import type { Database } from '../../database.ts';
import { hasSsoPlan } from '../plan.ts';
import type { Connection } from '../records.ts';
import { SsoRefusal } from '../refusal.ts';

/** Returns a connection that people may log in through. @throws {SsoRefusal} when there is none. */
export async function loginConnection(
  db: Database,
  which: Pick<Connection, 'protocol'> & ({ slug: string } | { connection_id: string }),
): Promise<Connection> {
  const connection = await db.ssoConnections.findOne(which);
  if (!connection) throw new SsoRefusal('unknown connection');
  await requireUsable(db, connection);
  return connection;
}

/** @throws {SsoRefusal} unless people may log in through a connection. */
export async function requireUsable(
  db: Database,
  { enabled, organization_id }: Pick<Connection, 'enabled' | 'organization_id'>,
): Promise<void> {
  if (!enabled) throw new SsoRefusal('connection disabled');
  if (!(await hasSsoPlan(db, organization_id))) throw new SsoRefusal('plan without single sign-on');
}
