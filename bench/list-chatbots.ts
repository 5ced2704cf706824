import { connect } from '@gatehouse/shared/data/connect';
import { suffixesOf } from '../services/user/chatbots/name-search.ts';
import type { StoredChatbot } from '../services/user/chatbots/records.ts';
import { COLLECTIONS, type Database } from '../services/user/database.ts';
import { testClock } from '../test/fixtures/clock.ts';
import { launch } from '../test/fixtures/launcher.ts';
import { member } from '../test/fixtures/members.ts';
import { JWT_SECRET } from '../test/fixtures/services.ts';
import { storeOrganization } from '../test/user/access/store-organization.ts';
import { load } from './load.ts';
import { compare } from './report.ts';

const SMALL = 1_000;
const LARGE = 100_000;
/** Chatbots in each department that the search matches. */
const MATCHING = 40;

const QUERIES = {
  'sorted and searched': 'sort_by=name&order=asc&search=lighthouse&limit=20',
  'sorted by name': 'sort_by=name&order=asc&limit=20',
  'as it comes': 'limit=20',
};

/** GET /api/v1/chatbots: a page of 20 from 100,000 chatbots, relative to a page of 20 from 1,000. */
export async function listChatbots(): Promise<void> {
  const gatehouse = await launch({ env: { LOG_LEVEL: 'warn', JWT_SECRET } });
  try {
    await gatehouse.up;
    const db = await connect(gatehouse.mongodb, COLLECTIONS, { appName: 'bench' });
    const small = await department(db, 'small', SMALL);
    const large = await department(db, 'large', LARGE);
    await db.close();
    for (const [name, query] of Object.entries(QUERIES)) {
      const list = (authorization: string) => () =>
        load(`${gatehouse.user}/api/v1/chatbots?${query}`, { headers: { authorization }, connections: 4 });
      const [few, many] = [`${name}, of ${SMALL}`, `${name}, of ${LARGE}`];
      await compare('list-chatbots', {
        unit: 'requests/s',
        rounds: 5,
        measures: { [few]: list(small), [many]: list(large) },
        ratios: [{ of: many, over: few, goal: 0.5 }],
      });
    }
  } finally {
    await gatehouse.stop();
  }
}

/** Fills a department. @returns the `Authorization` of an Editor in it. */
async function department(db: Database, department_id: string, count: number): Promise<string> {
  const created_at = '2026-01-15T09:30:00.000Z';
  const owner = await member(db, testClock());
  const { departments } = await storeOrganization(db, {
    owners: [owner.user_id],
    departments: [department_id],
    now: Date.parse(created_at),
  });
  const [{ organization_id, ...stored }] = departments as [(typeof departments)[0]];
  const place = { organization_id, department_id: stored.department_id };
  const editor = await member(db, testClock());
  await db.memberships.insertOne({
    membership_id: department_id,
    ...place,
    user_id: editor.user_id,
    role: 'Editor',
    granted_by: owner.user_id,
    granted_at: created_at,
  });
  const chatbots = Array.from({ length: count }, (_, number): StoredChatbot => {
    const name = `${number % (count / MATCHING) === 0 ? 'Lighthouse' : 'Receptionist'} ${(number * 7_919) % count}`;
    return {
      chatbot_id: `${department_id}-${number}`,
      name,
      type: '3d',
      avatar_id: 'avatar-7',
      language: 'en-GB',
      status: 'active',
      owner_id: owner.user_id,
      ...place,
      created_at,
      updated_at: created_at,
      name_suffixes: suffixesOf(name),
    };
  });
  for (let at = 0; at < count; at += 2_000) await db.chatbots.insertMany(chatbots.slice(at, at + 2_000));
  return editor.authorization;
}
