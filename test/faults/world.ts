import { randomUUIDv7 } from 'node:crypto';
import { MongoClient } from 'mongodb';
import { completeDepartures } from '../../services/user/access/departures/complete.ts';
import { buildUserService } from '../../services/user/app.ts';
import { COLLECTIONS } from '../../services/user/database.ts';
import { MARKS, REPAIRS } from '../../services/user/jobs.ts';
import { createMailer } from '../../services/user/mail/mailer.ts';
import { dropDatabase, freshMongodbUri } from '../fixtures/database.ts';
import { eventually } from '../fixtures/eventually.ts';
import { type Answered, postForm, send, sendJson } from '../fixtures/http.ts';
import { bearerOf, newMember } from '../fixtures/members.ts';
import { startReplicaSet } from '../fixtures/replica-set.ts';
import { asService } from '../fixtures/scans/watch.ts';
import { startServices, testConfig } from '../fixtures/services.ts';
import { storeOrganization } from '../user/access/store-organization.ts';

export const INTERNAL_API_KEY = 'a key that only the tests know, 32 bytes and more';

const ENV = {
  INTERNAL_API_KEY,
  WEBHOOK_ALLOW_PRIVATE: 'on',
  SSO_ALLOWED_NETWORKS: '127.0.0.0/8',
  PUBLIC_URL: 'http://localhost:8000',
};

/** What a service makes once, what counts calls, and what jobs make of audit events at a time of their own. */
const NOT_WIPED = new Set(['event_log', 'relay_leases', 'audit_leases']);
const NOT_COMPARED = new Set([
  ...NOT_WIPED,
  'audit_events',
  'billing_entries',
  'events',
  'exports',
  'export_chunks',
  'features',
  'audit_chain',
  'audit_anchors',
  'invitation_budgets',
  'job_runs',
  'hour_figures',
  'hour_tallies',
  'refusal_tallies',
]);

/**
 * What jobs and reads set or remove at a time of their own, random text, and the verdict on the
 * latest of several codes.
 */
const SET_LATER =
  /^(notices|name_words$|features_assigned$|login_networks$|sign_ins$|recipients$|unannounced$|billing_outbox$|wakes$|due|lease|holder$|health$|token$|otp_verdict$)/;

/** The login and user services at a replica set that can fail, and what scenarios need of them. */
export async function startWorld() {
  const direct = await freshMongodbUri();
  const replicaSet = await startReplicaSet(direct);
  const services = await startServices({ address: replicaSet.uri, env: ENV });
  const client = await new MongoClient(direct).connect();
  const { db, clock } = services;

  /** An active account on the plan without limits; each call has a new session, which is fresh. */
  async function person(fields: object = {}) {
    const user = await newMember(db, { subscription_plan: 'Enterprise', ...fields });
    const user_id = user.user_id as string;
    const bearer = (options?: Parameters<typeof bearerOf>[2]) => ({
      authorization: bearerOf({ email: user.email, user_id }, clock.now(), options),
    });
    return {
      email: user.email,
      user_id,
      bearer,
      call: (method: string, path: string, body?: unknown) =>
        request(`${services.user}${path}`, method, body, bearer({ mfa: true })),
    };
  }

  /** An Owner of an organization with two departments on the Enterprise plan, and a member. */
  async function organization() {
    const [owner, member, stranger] = [await person(), await person(), await person()];
    const stored = await storeOrganization(db, {
      owners: [owner.user_id],
      departments: ['Engineering', 'Support'],
      now: clock.now(),
    });
    const { organization_id } = stored.organization;
    const paid = { 'billing.subscription_plan': 'Enterprise', 'billing.payment_status': 'paid' } as const;
    await db.departments.updateMany({ organization_id }, { $set: paid });
    const [first, second] = stored.departments.map(({ department_id }) => department_id) as [string, string];
    await db.memberships.insertOne({
      membership_id: randomUUIDv7(),
      organization_id,
      department_id: first,
      user_id: member.user_id,
      role: 'Viewer',
      granted_by: owner.user_id,
      granted_at: new Date(clock.now()).toISOString(),
    });
    const path = `/api/v1/organizations/${organization_id}`;
    const department = `${path}/departments/${first}`;
    return {
      owner,
      member,
      stranger,
      organization_id,
      path,
      department,
      department_id: first,
      other_id: second,
    };
  }

  /** Completes what a fault has left, as a process does that starts. */
  async function settle(): Promise<void> {
    if ((await marks()).length === 0) return;
    // Departures of a killed process are completed after a minute.
    clock.advance(61);
    await asService(() => completeDepartures({ db, now: clock.now, log: { warn() {} } as never }));
    if ((await marks()).length === 0) return;
    const config = testConfig('user', { ...ENV, SMTP_URL: `smtp://127.0.0.1:${services.mailbox.port}` });
    const mailer = createMailer(config);
    const app = await asService(() => buildUserService({ config, mailer, db, now: clock.now }));
    await asService(() => app.ready());
    await eventually(async () => (await marks()).length === 0).catch(async (error) => {
      throw new Error(`work is left: ${await marks()}`, { cause: error });
    });
    await app.close();
    mailer.close();
  }
  /** The marks that a document still has and that a repair completes. */
  async function marks(): Promise<string[]> {
    const found: string[] = [];
    for (const [mark, { completedBy }] of Object.entries(MARKS)) {
      const [collection = '', ...path] = mark.split('.');
      if (!REPAIRS.some((repair) => repair === completedBy)) continue;
      const marked = await client
        .db()
        .collection(collection)
        .findOne({ [path.join('.')]: { $exists: true } });
      if (marked) found.push(mark);
    }
    if (await client.db().collection('departures').findOne()) found.push('departures');
    return found;
  }

  return {
    ...services,
    replicaSet,
    person,
    organization,
    settle,
    /** Removes every document. */
    async wipe(): Promise<void> {
      const names = Object.values(COLLECTIONS).map(({ name }) => name);
      await Promise.all(
        names
          .filter((name) => !NOT_WIPED.has(name))
          .map((name) => client.db().collection(name).deleteMany({})),
      );
    },
    /** What the database holds, by collection: each kind of document once, without what differs from run to run. */
    async contents(): Promise<Record<string, string[]>> {
      const names = Object.values(COLLECTIONS).map(({ name }) => name);
      const compared = names.filter((name) => !NOT_COMPARED.has(name)).toSorted();
      const entries = await Promise.all(
        compared.map(async (name) => {
          // A group without a record is one whose department the connection has left as it was.
          const unless = name === 'scim_groups' ? { external_id: null, deleted: { $exists: false } } : null;
          const filter = unless ? { $nor: [unless] } : {};
          const documents = await client.db().collection(name).find(filter).toArray();
          const forms = documents.map((each) => {
            // A worker sends deliveries meanwhile.
            const { event, event_id } = each;
            return JSON.stringify(formOf(name === 'webhook_deliveries' ? { event, event_id } : each));
          });
          return [name, [...new Set(forms)].toSorted()] as const;
        }),
      );
      return Object.fromEntries(entries.filter(([, forms]) => forms.length > 0));
    },
    async stop() {
      await services.stop();
      await replicaSet.stop();
      await client.close();
      await dropDatabase(direct);
    },
  };
}

export type World = Awaited<ReturnType<typeof startWorld>>;

export function request(
  url: string,
  method: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Answered> {
  if (body instanceof URLSearchParams) return postForm(url, Object.fromEntries(body), headers);
  return body === undefined ? send(url, { method, headers }) : sendJson(method, url, body, headers);
}

/** A document without ids, secrets, numbers, times, and mails that a job sends at a time of its own. */
function formOf(value: unknown): unknown {
  if (value instanceof Date) return 'date';
  if (Array.isArray(value)) return [...new Set(value.map((each) => JSON.stringify(formOf(each))))].toSorted();
  if (typeof value === 'number' || typeof value === 'bigint') return 'number';
  if (typeof value === 'string') {
    if (/^\d{4}-\d{2}-\d{2}/.test(value)) return 'date';
    return /^[A-Z]?[a-z ._-]{0,40}$/.test(value) ? value : 'text';
  }
  if (value === null || typeof value !== 'object') return value;
  if ('_bsontype' in value || value instanceof Uint8Array) return 'bytes';
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => name !== '_id' && !SET_LATER.test(name))
      // The login of a plain password may store its hash, and goes on when it cannot.
      .map(([name, each]) => [name, name === 'password' ? 'password' : formOf(each)] as const)
      .toSorted(([a], [b]) => a.localeCompare(b)),
  );
}
