import { connect } from '@gatehouse/shared/data/connect';
import { Pool } from 'undici';
import { suffixesOf } from '../services/user/chatbots/name-search.ts';
import type { StoredChatbot } from '../services/user/chatbots/records.ts';
import { COLLECTIONS, type Database } from '../services/user/database.ts';
import { testClock } from '../test/fixtures/clock.ts';
import { launch } from '../test/fixtures/launcher.ts';
import { member } from '../test/fixtures/members.ts';
import { JWT_SECRET } from '../test/fixtures/services.ts';
import { storeOrganization } from '../test/user/access/store-organization.ts';
import { shown, timed } from './beside.ts';

const CHATBOTS = 100_000;
/** Chatbots in the list that the other client reads. */
const OTHERS = 1_000;

/** A list of chatbots, read by another client while 100,000 chatbots move, and while their organization is deleted. */
export async function closing(): Promise<void> {
  const gatehouse = await launch({ env: { LOG_LEVEL: 'warn', JWT_SECRET } });
  const pool = new Pool(gatehouse.user);
  try {
    await gatehouse.up;
    const db = await connect(gatehouse.mongodb, COLLECTIONS, { appName: 'bench' });
    const closed = await organization(db, CHATBOTS);
    const other = await organization(db, OTHERS);
    const call = async (method: 'GET' | 'POST', path: string, authorization: string, body?: object) => {
      const headers = { authorization, ...(body && { 'content-type': 'application/json' }) };
      const answer = await pool.request({ path, method, headers, body: body ? JSON.stringify(body) : null });
      await answer.body.dump();
      if (answer.statusCode !== 200) throw new Error(`${path} answered ${answer.statusCode}`);
    };
    const list = async () => {
      const began = performance.now();
      await call('GET', '/api/v1/chatbots?limit=20', other.authorization);
      return performance.now() - began;
    };
    await timed(list, seconds(1)); // warms up
    const alone = await timed(list, seconds(3));

    const { organization_id, from, to } = closed;
    const path = `/api/v1/organizations/${organization_id}`;
    const left = { organization_id, department_id: from };
    const moving = measured(async () => {
      await call('POST', `${path}/departments/${from}/archive`, closed.authorization, {
        chatbots: 'move',
        move_to: to,
      });
      await gone(() => db.chatbots.findOne(left, { projection: { _id: 1 } }));
    });
    const whileMoving = await timed(list, moving);

    await call('POST', `${path}/archive`, closed.authorization);
    const past = new Date(Date.now() - 1_000);
    await db.organizations.updateOne(
      { organization_id },
      { $set: { deletes_at: past.toISOString(), due_at: past } },
    );
    // A service looks for it now and then.
    await gone(() => db.organizations.findOne({ organization_id, deleting: { $exists: false } }));
    const deleting = measured(() => gone(() => db.organizations.findOne({ organization_id })));
    const whileDeleting = await timed(list, deleting);
    console.log(`  another call     ${shown(alone)} alone`);
    console.log(`                   ${shown(whileMoving)} beside the move, which took ${await moving} s`);
    console.log(
      `                   ${shown(whileDeleting)} beside the deletion, which took ${await deleting} s`,
    );
    await db.close();
  } finally {
    await pool.close();
    await gatehouse.stop();
  }
}

const seconds = (count: number) => new Promise((resolve) => setTimeout(resolve, count * 1_000));

/** The seconds that something takes. */
async function measured(work: () => Promise<unknown>): Promise<string> {
  const began = performance.now();
  await work();
  return ((performance.now() - began) / 1_000).toFixed(1);
}

async function gone(find: () => Promise<unknown>): Promise<void> {
  while ((await find()) !== null) await seconds(0.2);
}

/** Fills the first of two departments of an organization. @returns the `Authorization` of its Owner. */
async function organization(db: Database, count: number) {
  const at = '2026-01-15T09:30:00.000Z';
  const owner = await member(db, testClock());
  const { departments } = await storeOrganization(db, {
    owners: [owner.user_id],
    departments: ['From', 'To'],
    now: Date.parse(at),
  });
  const [from, to] = departments as [(typeof departments)[0], (typeof departments)[0]];
  const { organization_id, department_id } = from;
  const chatbots = Array.from({ length: count }, (_, number): StoredChatbot => {
    const name = `Receptionist ${number}`;
    return {
      chatbot_id: `${organization_id}-${number}`,
      name,
      type: '3d',
      avatar_id: 'avatar-7',
      language: 'en-GB',
      status: 'active',
      owner_id: owner.user_id,
      organization_id,
      department_id,
      created_at: at,
      updated_at: at,
      name_suffixes: suffixesOf(name),
    };
  });
  for (let next = 0; next < count; next += 2_000)
    await db.chatbots.insertMany(chatbots.slice(next, next + 2_000));
  return { organization_id, from: department_id, to: to.department_id, authorization: owner.authorization };
}
