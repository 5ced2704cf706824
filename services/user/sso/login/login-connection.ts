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
  if (!connection.enabled) throw new SsoRefusal('connection disabled');
  if (!(await hasSsoPlan(db, connection.organization_id)))
    throw new SsoRefusal('plan without single sign-on');
  return connection;
}
