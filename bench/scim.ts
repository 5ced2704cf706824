import { createHash, randomBytes } from 'node:crypto';
import { connect } from '@gatehouse/shared/data/connect';
import { Pool } from 'undici';
import { MAX_OPERATIONS } from '../packages/scim/bulk.ts';
import { COLLECTIONS, type Database } from '../services/user/database.ts';
import { testClock } from '../test/fixtures/clock.ts';
import { launch } from '../test/fixtures/launcher.ts';
import { member } from '../test/fixtures/members.ts';
import { JWT_SECRET } from '../test/fixtures/services.ts';
import { storeOrganization } from '../test/user/access/store-organization.ts';
import { shown, timed } from './beside.ts';
import { compare, LIMITS } from './report.ts';

const USERS = 10_000;
const ROUNDS = 3;

/** Users created by SCIM a second, relative to insertMany of the same documents. */
export async function scim(): Promise<void> {
  const gatehouse = await launch({ env: { LOG_LEVEL: 'warn', JWT_SECRET } });
  const pool = new Pool(gatehouse.user);
  try {
    await gatehouse.up;
    const db = await connect(gatehouse.mongodb, COLLECTIONS, { appName: 'bench' });
    const uri = new URL(gatehouse.mongodb);
    uri.pathname = '/bench_bulk';
    const bulk = await connect(uri.href, COLLECTIONS, { appName: 'bench' });
    const owner = await member(db, testClock());
    const connection_id = await storeConnection(db, owner.user_id);

    let created = 0;
    const creating = async () => {
      const began = performance.now();
      for (let made = 0; made < USERS; made += MAX_OPERATIONS) {
        const operations = Array.from({ length: MAX_OPERATIONS }, () => {
          created += 1;
          return creation(created);
        });
        await createAll(pool, operations);
      }
      return USERS / ((performance.now() - began) / 1000);
    };
    await creating(); // warms up, and leaves the documents
    const documents = await written(db, connection_id);
    const inserting = async () => {
      await Promise.all(documents.map(([name]) => bulk[name].deleteMany({})));
      const began = performance.now();
      for (const [name, stored] of documents) await (bulk[name] as Database['users']).insertMany(stored);
      return USERS / ((performance.now() - began) / 1000);
    };
    await compare('scim', {
      chart: LIMITS,
      unit: 'users/s',
      rounds: ROUNDS,
      measures: { 'insertMany of the same documents': inserting, 'SCIM Bulk': creating },
      ratios: [{ of: 'SCIM Bulk', over: 'insertMany of the same documents', goal: 1 / 3 }],
    });

    const { authorization } = owner;
    const me = async () => {
      const began = performance.now();
      const { statusCode, body } = await pool.request({
        path: '/api/v1/users/me',
        method: 'GET',
        headers: { authorization },
      });
      await body.dump();
      if (statusCode !== 200) throw new Error(`users/me answered ${statusCode}`);
      return performance.now() - began;
    };
    const alone = await timed(me, new Promise((resolve) => setTimeout(resolve, 2_000)));
    const beside = await timed(me, creating());
    console.log(`  another call     ${shown(alone)} alone, ${shown(beside)} beside it`);
    await bulk.close();
    await db.close();
  } finally {
    await pool.close();
    await gatehouse.stop();
  }
}

const TOKEN = `scim_${randomBytes(32).toString('base64url')}`;

async function storeConnection(db: Database, owner: string): Promise<string> {
  const now = new Date();
  const { organization } = await storeOrganization(db, {
    owners: [owner],
    departments: ['Bench'],
    now: now.getTime(),
  });
  const { organization_id } = organization;
  const [domain, connection_id] = ['corp.example', 'bench'];
  await db.ssoDomains.insertOne({
    domain_id: 'bench',
    organization_id,
    domain,
    token: 'bench',
    verified_at: now,
    verified_domain: domain,
    sso_required: false,
    created_at: now,
  });
  const attributes = { email: '', firstName: '', lastName: '', role: '', department: '' };
  await db.ssoConnections.insertOne({
    connection_id,
    organization_id,
    slot: 1,
    protocol: 'oidc',
    slug: 'bench',
    name: 'Bench',
    enabled: true,
    attributes,
    default_role: 'Viewer',
    default_department_id: null,
    scim_token: createHash('sha256').update(TOKEN).digest('hex'),
    created_at: now,
    updated_at: now,
  });
  return connection_id;
}

const creation = (number: number) => ({
  method: 'POST',
  path: '/Users',
  bulkId: String(number),
  data: {
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
    userName: `person${number}@corp.example`,
    externalId: `external-${number}`,
    name: { givenName: 'Person', familyName: String(number) },
    emails: [{ value: `person${number}@corp.example`, type: 'work', primary: true }],
    active: true,
  },
});

async function createAll(pool: Pool, Operations: object[]): Promise<void> {
  const { statusCode, body } = await pool.request({
    path: '/scim/v2/Bulk',
    method: 'POST',
    headers: { 'content-type': 'application/scim+json', authorization: `Bearer ${TOKEN}` },
    body: JSON.stringify({ schemas: ['urn:ietf:params:scim:api:messages:2.0:BulkRequest'], Operations }),
  });
  const text = await body.text();
  const answered = text.split('"status":"201"').length - 1;
  if (statusCode !== 200 || answered !== Operations.length) throw new Error(text.slice(0, 500));
}

/** The documents that one measurement wrote, by collection. */
async function written(db: Database, connection_id: string) {
  const [users, ssoIdentities, auditEvents] = await Promise.all([
    db.users.find({ email: /@corp\.example$/ }).toArray(),
    db.ssoIdentities.find({ connection_id }).toArray(),
    db.auditEvents.find({ action: 'scim.user' }).toArray(),
  ]);
  const documents = [
    ['users', users],
    ['ssoIdentities', ssoIdentities],
    ['auditEvents', auditEvents],
  ] as [keyof Pick<Database, 'users' | 'ssoIdentities' | 'auditEvents'>, typeof users][];
  if (documents.some(([, stored]) => stored.length !== USERS)) throw new Error('documents are missing');
  return documents;
}
