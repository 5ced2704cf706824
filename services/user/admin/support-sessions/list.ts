import { TIME_LIMIT, tooSlow } from '@gatehouse/shared/data/time-limit';
import { hasEnded } from '@gatehouse/shared/identity/sessions';
import { mayStillSupport } from '@gatehouse/shared/identity/support-sessions';
import { isActive, userReader } from '@gatehouse/shared/identity/users';
import { containsText, listQuery, pageResponse, readPage } from '@gatehouse/shared/operation/lists';
import type { Database } from '../../database.ts';
import { operation } from '../operation.ts';
import { MODES, presentSupport, supportRecord } from './contract.ts';
import type { SupportRecord } from './records.ts';

const table = {
  sortable: ['began_at'],
  filters: { person_id: null, operator: null, mode: MODES },
  search: containsText('reason'),
  unique: 'session_id',
  maxCount: 10_000,
} as const;

/** Bounds the index in the order of which the list is read. */
const EVER = { began_at: { $gt: new Date(0) } };

export const listSupportSessions = operation('GET /api/v1/admin/support-sessions', {
  needs: 'support operator',
  byKey: true,
  summary: 'List support sessions',
  description:
    'Lists the support sessions of all operators, also those that are over, newest first, for 400 days. `search` matches the reason. A `total_items` above 10,000 is not exact; `has_next` always is. A search that takes longer than five seconds is 503.',
  query: listQuery(table),
  returns: pageResponse(supportRecord),
  async handle({ db, now, query }) {
    const { data, pagination } = await readPage(db.supportSessions, table, [{ within: EVER }], query, {
      limits: TIME_LIMIT,
    }).catch(tooSlow('The search takes too long; name a person or an operator'));
    const shown = data.map(async (record) => presentSupport(record, await isLive(db, record, now())));
    return { data: await Promise.all(shown), pagination };
  },
});

/** Whether the bearer check accepts the token of a support session. */
async function isLive(db: Database, record: SupportRecord, now: number): Promise<boolean> {
  const { session_id: id, person_id, operator, mode, began_at, expires_at, ended_at } = record;
  if (ended_at || expires_at.getTime() <= now) return false;
  const readUser = userReader(db.users);
  const user = await readUser(person_id);
  const session = { id, hasId: true, beganAt: began_at.getTime() };
  if (!user || !isActive(user) || hasEnded(user, session)) return false;
  return mayStillSupport(db.operators, readUser, { user, session, support: { mode, operator } });
}
