import { connect } from '@gatehouse/shared/data/connect';
import type { User } from '@gatehouse/shared/identity/user-record';
import type { Delivery } from '../packages/webhooks/delivery-records.ts';
import type { Membership } from '../services/user/access/records.ts';
import { COLLECTIONS, type Database } from '../services/user/database.ts';
import { testClock } from '../test/fixtures/clock.ts';
import { send } from '../test/fixtures/http.ts';
import { launch } from '../test/fixtures/launcher.ts';
import { accountRecord, member } from '../test/fixtures/members.ts';
import { JWT_SECRET } from '../test/fixtures/services.ts';
import { storeOrganization } from '../test/user/access/store-organization.ts';
import { storedWebhook } from '../test/webhooks/stored-webhook.ts';
import { load } from './load.ts';
import { compare } from './report.ts';

const SMALL = 1_000;
const LARGE = 100_000;
const ROLES = ['Admin', 'Editor', 'Viewer', 'Analyst'] as const;
/** Records in one write. */
const BATCH = 2_000;

/** The paths of one place. */
interface Place {
  authorization: string;
  organization: string;
  department: string;
  webhook: string;
}

const LISTS: Record<string, (place: Place) => string> = {
  'members of a department': ({ department }) => `${department}/members`,
  'members by role': ({ department }) => `${department}/members?sort_by=role&order=asc`,
  'members with one role': ({ department }) => `${department}/members?role=Editor`,
  'members of an organization': ({ organization }) => `${organization}/members`,
  'Owners of an organization': ({ organization }) => `${organization}/owners`,
  'own roles': () => '/api/v1/users/me/roles',
  'deliveries of a webhook': ({ webhook }) => `${webhook}/deliveries`,
  'failed deliveries': ({ webhook }) => `${webhook}/deliveries?status=failed`,
  'deliveries by HTTP status': ({ webhook }) => `${webhook}/deliveries?http_status=500`,
  'deliveries that no filter matches': ({ webhook }) =>
    `${webhook}/deliveries?status=delivered&event=conversation.started&http_status=500`,
};

/** A page of 20 from 100,000 members or deliveries, relative to one from 1,000. */
export async function lists(): Promise<void> {
  const gatehouse = await launch({ env: { LOG_LEVEL: 'warn', JWT_SECRET } });
  try {
    await gatehouse.up;
    const db = await connect(gatehouse.mongodb, COLLECTIONS, { appName: 'bench' });
    const small = await place(db, SMALL);
    const large = await place(db, LARGE);
    await db.close();
    for (const [name, pathOf] of Object.entries(LISTS)) {
      const list = (from: Place) => () =>
        load(`${gatehouse.user}${pathOf(from)}`, {
          headers: { authorization: from.authorization },
          connections: 4,
          duration: 2,
        });
      // The first call for an organization enrolls its people.
      for (const from of [small, large])
        await send(`${gatehouse.user}${pathOf(from)}`, { headers: { authorization: from.authorization } });
      const [few, many] = [`${name}, of ${SMALL}`, `${name}, of ${LARGE}`];
      await compare('lists', {
        unit: 'requests/s',
        rounds: 3,
        measures: { [few]: list(small), [many]: list(large) },
        ratios: [{ of: many, over: few, goal: 0.5 }],
      });
    }
  } finally {
    await gatehouse.stop();
  }
}

/** Stores an organization with `count` members in a department, and a webhook with `count` deliveries. */
async function place(db: Database, count: number): Promise<Place> {
  const owner = await member(db, testClock());
  const { departments } = await storeOrganization(db, {
    owners: [owner.user_id],
    departments: ['Support'],
    now: Date.now(),
  });
  const [department] = departments;
  if (!department) throw new Error('no department');
  const { organization_id, department_id } = department;
  const webhook_id = `webhook of ${count}`;
  await db.webhooks.insertOne(storedWebhook({ webhook_id, owner_id: owner.user_id }));
  for (let first = 0; first < count; first += BATCH) {
    const numbers = Array.from({ length: Math.min(BATCH, count - first) }, (_, index) => first + index);
    const users: User[] = numbers.map((number) =>
      accountRecord({ user_id: `User-${count}-${number}`, email: `user${number}@${count}.example.com` }),
    );
    await db.users.insertMany(users);
    await db.memberships.insertMany(
      numbers.map(
        (number): Membership => ({
          membership_id: `${count}-${number}`,
          organization_id,
          department_id,
          user_id: `User-${count}-${number}`,
          role: ROLES[number % ROLES.length] ?? 'Viewer',
          granted_by: owner.user_id,
          granted_at: new Date(Date.now() - number * 1_000).toISOString(),
        }),
      ),
    );
    await db.webhookDeliveries.insertMany(numbers.map((number) => deliveryOf(webhook_id, number)));
  }
  const organization = `/api/v1/organizations/${organization_id}`;
  return {
    authorization: owner.authorization,
    organization,
    department: `${organization}/departments/${department_id}`,
    webhook: `/api/v1/webhooks/${encodeURIComponent(webhook_id)}`,
  };
}

function deliveryOf(webhook_id: string, number: number): Delivery {
  const at = new Date(Date.now() - number * 1_000);
  const isFailed = number % 10 === 0;
  return {
    _id: `${webhook_id} ${number}`,
    delivery_id: `${webhook_id} ${number}`,
    webhook_id,
    event_id: `event ${number}`,
    event: 'conversation.started',
    payload: '{}',
    status: isFailed ? 'failed' : 'delivered',
    created_at: at,
    seq: number,
    due: at,
    attempt_count: 1,
    failures: isFailed ? 1 : 0,
    attempts: [{ at, duration_ms: 12, status: isFailed ? 500 : 200, error: null, answer: 'OK' }],
    http_status: isFailed ? 500 : 200,
    gives_up_at: null,
    settled_at: at,
    expires_at: new Date(Date.now() + 86_400_000),
  };
}
