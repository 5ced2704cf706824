import type { AuditEvent } from '@gatehouse/shared/identity/audit';
import type { Collection, Document, Filter } from 'mongodb';
import type { Database } from '../../database.ts';
import type { JOBS, MARKS } from '../../jobs.ts';

/** What a job has yet to do. */
export interface Waiting {
  /** At most `MAX_COUNT`. */
  count: number;
  /** Since when the oldest of it is due; null if nothing is, or if no time is stored. */
  since: Date | null;
}

/** Work that waits is counted up to here. */
const MAX_COUNT = 1_000;
const LIMITED = { limit: MAX_COUNT };
/** Departures that a call is about to complete itself are younger. */
const DEPARTURE = 60_000;

/** Counts documents by an index, and finds the one whose date in `field` is oldest. */
async function waitingIn<Stored extends Document>(
  collection: Collection<Stored>,
  field: string,
  filter: Document,
): Promise<Waiting> {
  const matching = filter as Filter<Stored>;
  const [count, oldest] = await Promise.all([
    collection.countDocuments(matching, LIMITED),
    collection.findOne(matching, { sort: { [field]: 1 }, projection: { [field]: 1 } }),
  ]);
  const since = field.split('.').reduce<unknown>((value, name) => (value as Document | null)?.[name], oldest);
  return { count, since: since instanceof Date ? since : null };
}

const dueIn = <Stored extends Document>(
  collection: Collection<Stored>,
  field: string,
  now: number,
  filter: Document = {},
) => waitingIn(collection, field, { ...filter, [field]: { $lte: new Date(now) } });

async function both(...parts: Promise<Waiting>[]): Promise<Waiting> {
  const all = await Promise.all(parts);
  const times = all.flatMap(({ since }) => (since ? [since.getTime()] : []));
  return {
    count: Math.min(
      MAX_COUNT,
      all.reduce((sum, { count }) => sum + count, 0),
    ),
    since: times.length > 0 ? new Date(Math.min(...times)) : null,
  };
}

/** Counts the audit events with a mark; its index has them in the order of their ids. */
async function eventsWith(auditEvents: Database['auditEvents'], mark: Filter<AuditEvent>): Promise<Waiting> {
  const [count, oldest] = await Promise.all([
    auditEvents.countDocuments(mark, LIMITED),
    auditEvents.findOne(mark, { sort: { event_id: 1 }, projection: { at: 1 } }),
  ]);
  return { count, since: oldest?.at ?? null };
}

/** What waits for each job; null where nothing is stored that could wait. */
export const WAITING = {
  'deliver webhooks': (db, now) => dueIn(db.webhooks, 'due_at', now, { status: 'active' }),
  'relay audit events': ({ auditEvents }) => eventsWith(auditEvents, { relay: true }),
  'link audit events': ({ auditEvents }) => eventsWith(auditEvents, { unlinked: true }),
  // The lag of each collector is a metric: what a receiver that was taken out of the settings lacks is not waiting.
  'stream audit events': null,
  'repair events': async ({ eventLog }) => {
    const log = await eventLog.findOne({ _id: 'events' });
    return { count: log?.open.length ?? 0, since: null };
  },
  'notify webhook owners': (db, now) => dueIn(db.webhooks, 'notice.due', now),
  'announce chatbots': async ({ chatbots }) => ({
    count: await chatbots.countDocuments({ unannounced: true } as Document, LIMITED),
    since: null,
  }),
  'run exports': (db, now) => dueIn(db.exports, 'due_at', now),
  'close archived places': (db, now) =>
    both(dueIn(db.organizations, 'due_at', now), dueIn(db.departments, 'due_at', now)),
  'complete departures': (db, now) => dueIn(db.departures, 'began_at', now - DEPARTURE),
  'send payment notices': (db, now) => dueIn(db.departments, 'payment_grace.notice.due', now),
  'send account notices': (db, now) => dueIn(db.users, 'notices_due', now),
  'remove reset second factors': (db, now) => dueIn(db.users, 'factor_reset.due_at', now),
  'delete accounts': (db, now) => dueIn(db.users, 'deletion.next', now),
  'index names of people': async ({ users }) => ({
    count: await users.countDocuments({ name_words: null } as Document, { limit: MAX_COUNT }),
    since: null,
  }),
  'look after SAML connections': (db, now) =>
    dueIn(db.ssoConnections, 'upkeep.due_at', now, { protocol: 'saml', enabled: true }),
  'carry out approved acts': (db, now) => dueIn(db.approvals, 'due_at', now),
  'keep figures': null,
} as const satisfies Record<keyof typeof JOBS, ((db: Database, now: number) => Promise<Waiting>) | null>;

/** The documents with a mark that a start of the service completes. */
export const MARKED: Partial<Record<keyof typeof MARKS, (db: Database) => Promise<number>>> = {
  'memberships.leaving': (db) => db.memberships.countDocuments({ leaving: { $gt: '' } }, LIMITED),
  'memberships.revocation': (db) => db.memberships.countDocuments({ revocation: { $gt: '' } }, LIMITED),
  'users.activated_at': (db) => db.users.countDocuments({ activated_at: { $gt: new Date(0) } }, LIMITED),
  'users.address_changed': (db) =>
    db.users.countDocuments({ 'address_changed.at': { $gt: new Date(0) } }, LIMITED),
  'sso_connections.deleted_at': (db) =>
    db.ssoConnections.countDocuments({ deleted_at: { $gt: new Date(0) } }, LIMITED),
  'sso_identities.unlinking': (db) => db.ssoIdentities.countDocuments({ unlinking: true }, LIMITED),
  'sso_identities.scim.unsettled': (db) =>
    db.ssoIdentities.countDocuments({ 'scim.unsettled': true }, LIMITED),
};
