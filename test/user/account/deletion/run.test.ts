import { randomUUIDv7 } from 'node:crypto';
import { connect } from '@gatehouse/shared/data/connect';
import type { Collection, Document, ObjectId } from 'mongodb';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { COLLECTIONS, type Database } from '../../../../services/user/database.ts';
import { testClock } from '../../../fixtures/clock.ts';
import { freshDatabase } from '../../../fixtures/database.ts';
import { newMember } from '../../../fixtures/members.ts';
import { rounds } from '../../../fixtures/property.ts';
import { storeOrganization } from '../../access/store-organization.ts';
import { LEFT, storedChatbot, storeRichLife } from './rich-life.ts';
import { LEASE, runDeletions } from './run-deletions.ts';
import { tracesOf } from './traces.ts';

const DAY = 86_400;

const clock = testClock();
let database: Awaited<ReturnType<typeof freshDatabase<typeof COLLECTIONS>>>;
let db: Database;
/** The connection of another process. */
let other: Database;
beforeAll(async () => {
  database = await freshDatabase(COLLECTIONS);
  db = database.db;
  other = await connect(database.uri, COLLECTIONS, { appName: 'user' });
});
afterAll(async () => {
  await other.close();
  await database.drop();
});

/** Stands in for the relay of audit events to webhooks. */
const relay = () => db.auditEvents.updateMany({ relay: true }, { $unset: { relay: true } });

/** Runs the job until nothing is due. */
async function finish(): Promise<void> {
  expect(await runDeletions({ db, clock })).toEqual([]);
  await relay();
  clock.advance(2);
  expect(await runDeletions({ db, clock })).toEqual([]);
}

type Life = Awaited<ReturnType<typeof storeRichLife>>;

async function expectGone({ texts, ada, grace, organization_id, chatbots }: Life): Promise<void> {
  expect(await db.users.findOne({ _id: ada._id })).toBeNull();
  expect((await tracesOf(db, texts)).filter((trace) => !LEFT.includes(trace))).toEqual([]);
  expect(await db.organizations.findOne({ organization_id })).toMatchObject({
    owners: [{ user_id: grace.user_id }],
    offers: [],
  });
  const owner = async ({ chatbot_id }: { chatbot_id: string }) =>
    (await db.chatbots.findOne({ chatbot_id }))?.owner_id;
  expect({
    own: await owner(chatbots.own),
    shared: await owner(chatbots.shared),
    received: await owner(chatbots.received),
    department: await owner(chatbots.department),
  }).toEqual({ own: undefined, shared: grace.user_id, received: grace.user_id, department: grace.user_id });
}

test('nothing is left of an account but what the contract lists', async () => {
  const life = await storeRichLife({ db, clock });
  const before = await tracesOf(db, life.texts);
  // Each kind of record named the person.
  for (const name of [
    'memberships',
    'organizations',
    'chatbots',
    'webhooks',
    'events',
    'exports',
    'features',
    'passkeys',
  ])
    expect(before.some((trace) => trace.startsWith(`${name}.`))).toBe(true);
  await finish();
  await expectGone(life);
  const ofAccount = new RegExp(life.ada._id.toHexString());
  expect(await db.budgets.find({ key: ofAccount }).toArray()).toEqual([]);
  const events = await db.auditEvents.find({ 'target.user_id': life.texts.user_id }).toArray();
  expect(events.map(({ action }) => action).toSorted()).toEqual([
    'account.delete',
    'chatbot.delete',
    'invitation.accept',
    'member.remove',
    'owner.remove',
    'scim.user',
    'webhook.delete',
  ]);
  // Whoever acted keeps their addresses.
  expect(events.find(({ action }) => action === 'scim.user')).toMatchObject({
    email: 'grace@example.com',
    address: '192.0.2.8',
    after: null,
  });
  expect(await db.auditEvents.findOne({ action: 'department.update' })).toMatchObject({
    user_id: life.texts.user_id,
    email: null,
    address: null,
    after: { name: 'Support' },
  });
});

test('webhooks hear of it while the account can still be read', async () => {
  const { ada } = await storeRichLife({ db, clock });
  await runDeletions({ db, clock });
  clock.advance(2);
  await runDeletions({ db, clock });
  const user = await db.users.findOne({ _id: ada._id });
  expect(user).toMatchObject({ user_id: ada.user_id, name: '', account_status: 'disabled' });
  expect(user?.email).not.toBe(ada.email);
  expect(await db.auditEvents.countDocuments({ action: 'account.delete', relay: true })).toBe(1);
  await relay();
  clock.advance(2);
  await runDeletions({ db, clock });
  expect(await db.users.findOne({ _id: ada._id })).toBeNull();
});

test('a signup with an address made of the user_id does not block the deletion', async () => {
  const at = new Date(clock.now());
  const { _id, user_id } = await newMember(db, { deletion: { requested_at: at, due_at: at, next: at } });
  await newMember(db, { email: `${user_id}@deleted.invalid` });
  await finish();
  expect(await db.users.findOne({ _id })).toBeNull();
});

test('an account that is not due stays', async () => {
  const deletion = { requested_at: new Date(), due_at: new Date(), next: new Date(clock.now() + 1) };
  const { _id } = await newMember(db, { deletion });
  await runDeletions({ db, clock });
  expect(await db.users.findOne({ _id })).toMatchObject({ account_status: 'active' });
  await db.users.deleteOne({ _id });
});

const WRITES =
  /^(?:insertOne|insertMany|updateOne|updateMany|deleteOne|deleteMany|findOneAndUpdate|findOneAndReplace|findOneAndDelete|bulkWrite)$/;

class Killed extends Error {}

/** A database whose process is killed before its write with this number. */
function killedBefore(target: Database, number: number): { db: Database; writes: () => number } {
  let writes = 0;
  const dying = <T extends object>(collection: T): T =>
    new Proxy(collection, {
      get(of, method) {
        const value = Reflect.get(of, method);
        if (typeof value !== 'function') return value;
        if (!WRITES.test(String(method))) return value.bind(of);
        return (...call: unknown[]) => {
          writes += 1;
          return writes >= number ? Promise.reject(new Killed()) : value.apply(of, call);
        };
      },
    });
  const entries = Object.entries(target).map(([name, value]) => [
    name,
    name in COLLECTIONS ? dying(value as object) : value,
  ]);
  return { db: Object.fromEntries(entries), writes: () => writes };
}

/** Empties the database. Otherwise each search for traces goes through all earlier lives. */
async function forget(): Promise<void> {
  for (const name of Object.keys(COLLECTIONS) as (keyof typeof COLLECTIONS)[])
    await (db[name] as unknown as Collection<Document>).deleteMany({});
}

/** Which writes a kill comes before: each, or without PROPERTY_RUNS every tenth. */
const STRIDE = Math.ceil(100 / rounds(100));

test('a kill before any write is made good by the next run', async () => {
  let kills = 0;
  // Until webhooks have heard of it, and from then on.
  for (const isHeard of [false, true]) {
    for (let number = 1; ; number += STRIDE) {
      await forget();
      const life = await storeRichLife({ db, clock });
      if (isHeard) {
        await runDeletions({ db, clock });
        await relay();
        clock.advance(2);
      }
      const dying = killedBefore(db, number);
      await runDeletions({ db: dying.db, clock }).catch((error) => expect(error).toBeInstanceOf(Killed));
      clock.advance(LEASE / 1000);
      await relay();
      await finish();
      await expectGone(life);
      if (dying.writes() < number) break;
      kills += 1;
    }
  }
  expect(kills * STRIDE).toBeGreaterThan(40);
});

test('two processes delete an account once', async () => {
  const lives = [await storeRichLife({ db, clock }), await storeRichLife({ db, clock })];
  for (let round = 0; round < 3; round += 1) {
    await Promise.all([runDeletions({ db, clock }), runDeletions({ db: other, clock })]);
    await relay();
    clock.advance(2);
  }
  for (const life of lives) {
    await expectGone(life);
    const { user_id } = life.texts;
    const told = { action: 'account.delete' as const, 'target.user_id': user_id };
    expect(await db.auditEvents.countDocuments(told)).toBe(1);
  }
});

test('two processes delete an account once while one has lost its lease', async () => {
  const life = await storeRichLife({ db, clock });
  await runDeletions({ db, clock });
  await relay();
  clock.advance(2);
  // The lease of the first ends at once for the second.
  const later = { now: () => clock.now() + LEASE + 1_000 };
  await Promise.all([runDeletions({ db, clock }), runDeletions({ db: other, clock: later })]);
  clock.advance(2 * (LEASE / 1000));
  await finish();
  await expectGone(life);
});

describe('a last Owner', () => {
  const due = () => ({
    deletion: {
      requested_at: new Date(clock.now() - 14 * DAY * 1000),
      due_at: new Date(clock.now()),
      next: new Date(clock.now()),
    },
  });
  const organizationOf = async (...owners: (string | undefined)[]) =>
    (
      await storeOrganization(db, {
        name: 'Engines',
        owners: owners.map(String),
        departments: ['Support'],
        now: clock.now(),
      })
    ).organization.organization_id;

  test('is kept, told once, and deleted when there is another', async () => {
    const { _id, user_id, email } = await newMember(db, due());
    const organization_id = await organizationOf(user_id);
    for (let day = 0; day < 3; day += 1) {
      await runDeletions({ db, clock });
      const user = await db.users.findOne({ _id });
      expect(user).toMatchObject({ email, account_status: 'active', deletion: { kept: true } });
      expect(user?.deletion).not.toHaveProperty('begun_at');
      expect(user?.notices).toMatchObject([
        { kind: 'deletion_kept', to: email, details: { places: ['Engines'] } },
      ]);
      clock.advance(DAY);
    }
    const heir = await newMember(db);
    await db.organizations.updateOne(
      { organization_id },
      { $push: { owners: { user_id: String(heir.user_id), granted_by: 'x', granted_at: '2026' } } },
    );
    await finish();
    expect(await db.users.findOne({ _id })).toBeNull();
  });

  test('one of two who lead a place together is left', async () => {
    for (let round = 0; round < rounds(20); round += 1) {
      const [ada, bob] = [await newMember(db, due()), await newMember(db, due())];
      const organization_id = await organizationOf(ada.user_id, bob.user_id);
      for (let step = 0; step < 3; step += 1) {
        await Promise.all([runDeletions({ db, clock }), runDeletions({ db: other, clock })]);
        await relay();
        clock.advance(2);
      }
      const left = await db.users.find({ _id: { $in: [ada._id, bob._id] } }).toArray();
      expect(left.length).toBeGreaterThan(0);
      const organization = await db.organizations.findOne({ organization_id });
      for (const { account_status, user_id, email } of left) {
        expect(account_status).toBe('active');
        expect(email).not.toContain('deleted');
        expect(organization?.owners.map((owner) => owner.user_id)).toContain(user_id);
      }
      await db.users.deleteMany({ _id: { $in: [ada._id, bob._id] } });
    }
  });

  test('keeps the status that it had, also after a kill before it was kept', async () => {
    const { _id, user_id } = await newMember(db, due());
    const heir = await newMember(db);
    const organization_id = await organizationOf(user_id, heir.user_id);
    // The claim is written; then the other Owner is disabled, and the process is killed.
    await runDeletions({ db: killedBefore(db, 2).db, clock }).catch(() => {});
    expect(await db.users.findOne({ _id })).toMatchObject({ account_status: 'disabled' });
    await db.users.updateOne({ _id: heir._id }, { $set: { account_status: 'disabled' } });
    clock.advance(LEASE / 1000);
    await runDeletions({ db, clock });
    const user = await db.users.findOne({ _id });
    expect(user).toMatchObject({ account_status: 'active', deletion: { kept: true } });
    expect(user?.deletion).not.toHaveProperty('begun_at');
    await db.organizations.deleteOne({ organization_id });
    await db.users.deleteOne({ _id });
  });

  const disable = ({ _id }: { _id: ObjectId }) =>
    db.users.updateOne({ _id }, { $set: { account_status: 'disabled' } });

  test('is deleted if the other Owners are disabled once the record is stripped', async () => {
    const { _id, user_id } = await newMember(db, due());
    const heir = await newMember(db);
    const organization_id = await organizationOf(user_id, heir.user_id);
    // The account is claimed and stripped; then the process is killed.
    await runDeletions({ db: killedBefore(db, 3).db, clock }).catch(() => {});
    expect((await db.users.findOne({ _id }))?.deletion).toHaveProperty('email');
    await disable(heir);
    clock.advance(LEASE / 1000);
    await finish();
    expect(await db.users.findOne({ _id })).toBeNull();
    expect((await db.organizations.findOne({ organization_id }))?.owners).toMatchObject([
      { user_id: heir.user_id },
    ]);
  });

  test('is deleted in a department while no Owner of the organization can act', async () => {
    const { _id, user_id } = await newMember(db, due());
    const heir = await newMember(db, { account_status: 'disabled' });
    const organization_id = await organizationOf(heir.user_id);
    const { department_id = '' } = (await db.departments.findOne({ organization_id })) ?? {};
    const at = new Date(clock.now());
    await db.memberships.insertOne({
      membership_id: randomUUIDv7(),
      organization_id,
      department_id,
      role: 'Owner',
      user_id: String(user_id),
      granted_by: String(heir.user_id),
      granted_at: at.toISOString(),
      joined_at: at,
    });
    const chatbot = storedChatbot(String(user_id), at.toISOString(), { organization_id, department_id });
    await db.chatbots.insertOne(chatbot);
    await finish();
    expect(await db.users.findOne({ _id })).toBeNull();
    expect(await db.memberships.countDocuments({ department_id })).toBe(0);
    expect(await db.departments.findOne({ department_id })).not.toHaveProperty('archived_at');
    // The Owner of the organization finds it once they can act.
    const { chatbot_id } = chatbot;
    expect(await db.chatbots.findOne({ chatbot_id })).toMatchObject({ owner_id: heir.user_id });
  });
});
