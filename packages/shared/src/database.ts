import { type Collection, type Db, MongoClient, type MongoClientOptions, MongoServerError } from 'mongodb';
import type { AuditEvent } from './audit.ts';
import type { StoredChatbot } from './catalogue.ts';
import type { Features } from './features.ts';
import type { Department, Membership, Organization } from './organizations.ts';
import { EMAIL_COLLATION, type User } from './users.ts';
import type { Delivery, Intake, StoredEvent, Webhook } from './webhooks.ts';

/** How long an audit event is kept. */
const AUDIT_DAYS = 400;

/** Any text, for a partial index. Not `$type`: MongoDB does not see that a query for one text is within that. */
const TEXT = { $gt: '' };

/** A CAPTCHA token that has let one login pass; kept until the token itself is too old. */
export interface CaptchaRedemption {
  _id: string;
  expires_at: Date;
}

/** What a call with an `Idempotency-Key` led to; without an answer it is under way. */
export interface IdempotencyKey {
  _id: string;
  /** Until then nobody else makes the call. */
  leased_until: Date;
  expires_at: Date;
  /** A digest of the body that came with it. */
  fingerprint?: string;
  answer?: { status: number; headers: Record<string, string>; body: string };
}

export interface Database {
  users: Collection<User>;
  features: Collection<Features>;
  auditEvents: Collection<AuditEvent>;
  captchaRedemptions: Collection<CaptchaRedemption>;
  chatbots: Collection<StoredChatbot>;
  idempotencyKeys: Collection<IdempotencyKey>;
  organizations: Collection<Organization>;
  departments: Collection<Department>;
  memberships: Collection<Membership>;
  webhooks: Collection<Webhook>;
  events: Collection<StoredEvent>;
  eventIntakes: Collection<Intake>;
  webhookDeliveries: Collection<Delivery>;
  /** Rejects when the database does not answer. */
  ping(): Promise<unknown>;
  close(): Promise<void>;
}

/**
 * Opens the database that `uri` names and makes sure of every index.
 * @throws when it cannot be reached within 5 seconds, or holds two spellings of one e-mail address.
 */
export async function connect(uri: string, { appName }: { appName: string }): Promise<Database> {
  const options = {
    appName: `gatehouse-${appName}`,
    serverSelectionTimeoutMS: 5_000,
    connectTimeoutMS: 5_000,
  };
  // Building an index may take long, so it has a client without the time-outs of requests.
  const builder = createClient(uri, options);
  try {
    await builder.connect().catch((cause) => {
      const hosts = builder.options.hosts.join(', ');
      throw new Error(`MongoDB at ${hosts} cannot be reached: ${cause.message}`, { cause });
    });
    await createIndexes(builder.db());
  } finally {
    await builder.close();
  }
  const client = new MongoClient(uri, {
    ...options,
    socketTimeoutMS: 8_000,
    waitQueueTimeoutMS: 5_000,
    ignoreUndefined: true,
  });
  // A client whose first connection fails later, at its first query, would never recover.
  await client.connect();
  const db = client.db();
  return {
    users: db.collection('users'),
    features: db.collection('features'),
    auditEvents: db.collection('audit_events'),
    captchaRedemptions: db.collection('captcha_redemptions'),
    chatbots: db.collection('chatbots'),
    idempotencyKeys: db.collection('idempotency_keys'),
    organizations: db.collection('organizations'),
    departments: db.collection('departments'),
    memberships: db.collection('memberships'),
    webhooks: db.collection('webhooks'),
    events: db.collection('events'),
    eventIntakes: db.collection('event_intakes'),
    webhookDeliveries: db.collection('webhook_deliveries'),
    ping: () => db.command({ ping: 1 }),
    close: () => client.close(),
  };
}

function createClient(uri: string, options: MongoClientOptions): MongoClient {
  try {
    return new MongoClient(uri, options);
  } catch (cause) {
    throw new Error(`MONGODB_URI ${(cause as Error).message}`, { cause });
  }
}

async function createIndexes(db: Db): Promise<void> {
  const users = db.collection<User>('users');
  try {
    await users.createIndex({ email: 1 }, { unique: true, collation: EMAIL_COLLATION });
  } catch (error) {
    if (!isDuplicateKey(error)) throw error;
    throw new Error(`Two accounts share one e-mail address: ${(await sharedAddresses(users)).join('; ')}`);
  }
  const memberships = db.collection<Membership>('memberships');
  await Promise.all([
    users.createIndex(
      { user_id: 1 },
      { name: 'user_id_text', unique: true, partialFilterExpression: { user_id: TEXT } },
    ),
    users.createIndex({ verified: 1, features_assigned: 1 }),
    db.collection('features').createIndex({ user_id: 1 }, { unique: true }),
    db.collection('audit_events').createIndex({ email: 1, at: -1 }),
    db.collection('audit_events').createIndex({ user_id: 1, at: -1 }),
    db.collection('audit_events').createIndex({ at: 1 }, { expireAfterSeconds: AUDIT_DAYS * 86_400 }),
    db.collection('captcha_redemptions').createIndex({ expires_at: 1 }, { expireAfterSeconds: 0 }),
    db.collection('chatbots').createIndex({ chatbot_id: 1 }, { unique: true }),
    // A page of what somebody owns, was given, or sees in a department, in the usual orders, reads that page alone.
    ...['owner_id', 'permissions.user_id', 'organization_id'].flatMap((whose) =>
      ['created_at', 'updated_at', 'name'].map((order) =>
        db.collection('chatbots').createIndex({ [whose]: 1, department_id: 1, [order]: 1, chatbot_id: 1 }),
      ),
    ),
    db.collection('chatbots').createIndex({ organization_id: 1, department_id: 1, name_suffixes: 1 }),
    db.collection('idempotency_keys').createIndex({ expires_at: 1 }, { expireAfterSeconds: 0 }),
    db.collection('organizations').createIndex({ organization_id: 1 }, { unique: true }),
    db.collection('organizations').createIndex({ 'owners.user_id': 1 }),
    db.collection('departments').createIndex({ department_id: 1 }, { unique: true }),
    db.collection('departments').createIndex({ organization_id: 1, name_key: 1 }, { unique: true }),
    memberships.createIndex({ user_id: 1 }),
    memberships.createIndex(
      { department_id: 1, user_id: 1 },
      { unique: true, partialFilterExpression: { user_id: TEXT } },
    ),
    memberships.createIndex(
      { department_id: 1, email: 1 },
      { unique: true, partialFilterExpression: { email: TEXT } },
    ),
    memberships.createIndex({ email: 1 }),
    memberships.createIndex({ expires_at: 1 }, { expireAfterSeconds: 0 }),
    ...createWebhookIndexes(db),
  ]);
}

function createWebhookIndexes(db: Db): Promise<string>[] {
  const webhooks = db.collection('webhooks');
  const events = db.collection('events');
  const deliveries = db.collection('webhook_deliveries');
  return [
    webhooks.createIndex({ webhook_id: 1 }, { unique: true }),
    webhooks.createIndex({ owner_id: 1, slot: 1 }, { unique: true }),
    // The queues that are due.
    webhooks.createIndex({ status: 1, due_at: 1 }),
    events.createIndex({ expires_at: 1 }, { expireAfterSeconds: 0 }),
    // What a kill may have left half-way.
    db.collection('event_intakes').createIndex({ began_at: 1 }),
    db
      .collection('chatbots')
      .createIndex({ unannounced: 1 }, { partialFilterExpression: { unannounced: true } }),
    // A queue, in the order in which it is worked off.
    deliveries.createIndex(
      { webhook_id: 1, due: 1, seq: 1 },
      { partialFilterExpression: { status: 'pending' } },
    ),
    // A page of them; and what a replay looks for.
    deliveries.createIndex({ webhook_id: 1, created_at: 1, delivery_id: 1 }),
    deliveries.createIndex(
      { webhook_id: 1, created_at: 1 },
      { partialFilterExpression: { status: 'failed' } },
    ),
    deliveries.createIndex({ expires_at: 1 }, { expireAfterSeconds: 0 }),
  ];
}

/** The first addresses, each with the spellings that stand in the way of a unique index. */
async function sharedAddresses(users: Collection<User>): Promise<string[]> {
  const groups = await users
    .aggregate<{ spellings: string[] }>([
      { $group: { _id: { $toLower: '$email' }, spellings: { $push: '$email' }, count: { $sum: 1 } } },
      { $match: { count: { $gt: 1 } } },
      { $limit: 10 },
    ])
    .toArray();
  return groups.map(({ spellings }) => spellings.join(', '));
}

/** Whether a write failed because `field`, or any unique field, is taken. */
export const isDuplicateKey = (error: unknown, field?: string): boolean =>
  error instanceof MongoServerError &&
  error.code === 11000 &&
  (field === undefined || field in (error.keyPattern ?? {}));
