import type { Poller } from '@gatehouse/shared/durable/poller';
import { createLogger } from '@gatehouse/shared/http/logger';
import type { AuditEvent } from '@gatehouse/shared/identity/audit';
import { type Accept, createAccept } from '@gatehouse/webhooks/accept';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { createRelay } from '../../../packages/webhooks/relay/relay.ts';
import { COLLECTIONS } from '../../../services/user/database.ts';
import { testClock } from '../../fixtures/clock.ts';
import { freshDatabase } from '../../fixtures/database.ts';
import { eventually } from '../../fixtures/eventually.ts';
import { newMember } from '../../fixtures/members.ts';
import { hostOf } from '../host.ts';

let database: Awaited<ReturnType<typeof freshDatabase<typeof COLLECTIONS>>>;
let clock: ReturnType<typeof testClock>;
let ada: string;
let relays: Poller[];
beforeAll(async () => {
  database = await freshDatabase(COLLECTIONS);
});
afterAll(() => database.drop());
beforeEach(async () => {
  const { auditEvents, events, relayLeases } = database.db;
  await Promise.all([auditEvents.deleteMany({}), events.deleteMany({}), relayLeases.deleteMany({})]);
  clock = testClock();
  relays = [];
  ada = (await newMember(database.db)).user_id as string;
});
afterEach(() => Promise.all(relays.map((relay) => relay.stop())));

/** A relay of a process of its own. */
function newRelay({
  db = database.db,
  accept,
  logged = [],
}: {
  db?: typeof database.db;
  accept?: Accept;
  logged?: string[];
} = {}): Poller {
  const { now } = clock;
  const relay = createRelay({
    db,
    host: hostOf(db),
    now,
    accept: accept ?? createAccept({ db, host: hostOf(db), now, deliveriesAdded: async () => {} }),
    log: createLogger('user', 'warn', { write: (line: string) => void logged.push(line) }),
    poll: 5,
    leaseDuration: 5_000,
  });
  relays.push(relay);
  return relay;
}

let logins = 0;

/** A login as the login service stores it. */
function login(fields: Partial<AuditEvent> = {}): AuditEvent {
  logins += 1;
  const number = String(logins).padStart(12, '0');
  return {
    event_id: `01936f31-2c4b-7b1d-8e52-${number}`,
    at: new Date(clock.now()),
    action: 'login',
    outcome: 'success',
    user_id: ada,
    email: 'ada@example.com',
    target: {},
    before: null,
    after: null,
    organization_id: null,
    department_id: null,
    address: '127.0.0.1',
    request_id: 'asked-1',
    session: { id: `session-${logins}`, device: '', expires_at: new Date(clock.now()) },
    relay: true,
    ...fields,
  };
}

async function store(count: number): Promise<string[]> {
  const events = Array.from({ length: count }, () => login());
  await database.db.auditEvents.insertMany(events);
  return events.map(({ event_id }) => event_id);
}

const allRelayed = () =>
  eventually(async () => (await database.db.auditEvents.countDocuments({ relay: true })) === 0);
const stored = async () => (await database.db.events.find().sort({ _id: 1 }).toArray()).map(({ _id }) => _id);

test('relays audit events of other processes in order, and clears their pending flags', async () => {
  const ids = await store(3);
  newRelay().start();
  await allRelayed();
  const events = await database.db.events.find().sort({ _id: 1 }).toArray();
  expect(events.map(({ _id }) => _id)).toEqual(ids);
  expect(events[0]).toMatchObject({ owner_id: ada, event: 'session.created' });
  expect(JSON.parse(events[0]?.payload ?? '')).toMatchObject({
    event: 'session.created',
    timestamp: new Date(clock.now()).toISOString(),
    data: { user_id: ada, method: 'password', connection_id: null },
  });
});

test('many processes relay each of many events once', async () => {
  const ids = await store(1_200);
  const accepted: string[] = [];
  const { db } = database;
  const accept = createAccept({ db, host: hostOf(db), now: clock.now, deliveriesAdded: async () => {} });
  const counting: Accept = async (event) => {
    const acceptance = await accept(event);
    if (acceptance === 'accepted') accepted.push(event.id);
    return acceptance;
  };
  for (let process = 0; process < 4; process += 1) newRelay({ accept: counting }).start();
  await allRelayed();
  expect(accepted.toSorted()).toEqual(ids);
  expect(await stored()).toEqual(ids);
});

test('relaying again after a kill before the flag was cleared changes nothing', async () => {
  const [id = ''] = await store(1);
  newRelay().start();
  await allRelayed();
  const [before] = await database.db.events.find().toArray();
  // The mark is still there, and the account has another name by now.
  await database.db.users.updateOne({ user_id: ada }, { $set: { name: 'Ada King' } });
  await database.db.auditEvents.updateOne({ event_id: id }, { $set: { relay: true } });
  await allRelayed();
  expect(await database.db.events.find().toArray()).toEqual([before]);
});

test('another process takes over when the lease of a killed one ends', async () => {
  const ids = await store(1);
  const { relayLeases } = database.db;
  await relayLeases.insertOne({ _id: 'audit', holder: 'killed', until: new Date(clock.now() + 5_000) });
  newRelay().start();
  clock.advance(6);
  await allRelayed();
  expect(await stored()).toEqual(ids);
});

test('an event that cannot be accepted stays pending and is relayed later', async () => {
  const [failing = ''] = await store(3);
  const { db } = database;
  const accept = createAccept({ db, host: hostOf(db), now: clock.now, deliveriesAdded: async () => {} });
  let failures = 0;
  const faulty: Accept = async (event) => {
    if (event.id === failing && failures < 3) {
      failures += 1;
      throw new Error('the database stalls');
    }
    return accept(event);
  };
  newRelay({ accept: faulty }).start();
  await allRelayed();
  expect(failures).toBe(3);
  expect(await stored()).toHaveLength(3);
});

test('loses nothing and accepts nothing twice, wherever the database fails', async () => {
  const { db } = database;
  let left = 60;
  const fails = () => left > 0 && Math.random() < 0.3 && left-- > 0;
  /** Fails before or after what the call does, as a kill or a lost answer would. */
  const failing =
    <Args extends unknown[], Result>(call: (...args: Args) => Promise<Result>) =>
    async (...args: Args): Promise<Result> => {
      if (fails()) throw new Error('the database fails before');
      const result = await call(...args);
      if (fails()) throw new Error('the database fails after');
      return result;
    };
  const faulty = <Stored extends object>(collection: Stored, ...names: (keyof Stored)[]): Stored =>
    new Proxy(collection, {
      get(target, name) {
        const member = Reflect.get(target, name) as unknown;
        if (typeof member !== 'function') return member;
        const bound = member.bind(target);
        return names.includes(name as keyof Stored) ? failing(bound) : bound;
      },
    });
  const db2 = {
    ...db,
    auditEvents: faulty(db.auditEvents, 'updateMany'),
    relayLeases: faulty(db.relayLeases, 'updateOne', 'deleteOne'),
    events: faulty(db.events, 'insertMany'),
  };
  const taken: string[] = [];
  const accept = createAccept({
    db: db2,
    host: hostOf(db2),
    now: clock.now,
    deliveriesAdded: async () => {},
  });
  const counting: Accept = async (event) => {
    const acceptance = await accept(event);
    if (acceptance === 'accepted') taken.push(event.id);
    return acceptance;
  };
  const ids = await store(600);
  for (let process = 0; process < 3; process += 1) newRelay({ db: db2, accept: failing(counting) }).start();
  await eventually(async () => {
    clock.advance(1); // the leases of processes that failed end
    return (await db.auditEvents.countDocuments({ relay: true })) === 0;
  });
  expect(await stored()).toEqual(ids);
  expect(new Set(taken).size).toBe(taken.length);
});

test('an event that does not fit its schema is logged, without blocking others', async () => {
  const bad = login({ action: 'member.grant', target: { user_id: ada }, after: { role: 'Emperor' } });
  const good = login();
  await database.db.auditEvents.insertMany([bad, good]);
  const logged: string[] = [];
  newRelay({ logged }).start();
  await allRelayed();
  expect(await stored()).toEqual([good.event_id]);
  expect(logged.map((line) => JSON.parse(line))).toMatchObject([
    { msg: 'audit event not relayed to webhooks', event_id: bad.event_id },
  ]);
});

test('events of an account that was deleted, or has no user_id, have no audience', async () => {
  await database.db.auditEvents.insertMany([login({ user_id: null }), login({ user_id: 'User-000000' })]);
  newRelay().start();
  await allRelayed();
  expect(await stored()).toEqual([]);
});

test('finds pending events by an index', async () => {
  await database.db.auditEvents.insertMany(
    Array.from({ length: 500 }, (_each, index) => {
      const { relay: _, ...event } = login();
      return index < 5 ? { ...event, relay: true as const } : event;
    }),
  );
  const { executionStats } = await database.db.auditEvents
    .find({ relay: true })
    .sort({ event_id: 1 })
    .limit(500)
    .explain('executionStats');
  expect(executionStats).toMatchObject({ totalDocsExamined: 5, totalKeysExamined: 5 });
});
