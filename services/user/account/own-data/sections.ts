import type { AuditEvent } from '@gatehouse/shared/identity/audit';
import type { User } from '@gatehouse/shared/identity/user-record';
import { anyOf } from '@gatehouse/shared/operation/lists';
import type { Webhook } from '@gatehouse/webhooks/records';
import type { FastifyRequest } from 'fastify';
import type { WithId } from 'mongodb';
import { z } from 'zod';
import { rolesOf } from '../../access/roles.ts';
import { auditRecord } from '../../audit-list.ts';
import { chatbotRecord } from '../../chatbots/records.ts';
import type { Database } from '../../database.ts';
import { factorsRecord, presentFactors } from '../../factors/read-factors.ts';
import { keyRecord, presentKey } from '../../keys/contract.ts';
import { keysOf } from '../../keys/store-key.ts';
import { linkRecord, ownLinks, presentLink } from '../../links/list-links.ts';
import { receivedInvitation } from '../../organizations/invitations/contract.ts';
import { receivedInvitations } from '../../organizations/invitations/list-received.ts';
import { passkeyRecord, presentPasskey } from '../../passkeys/contract.ts';
import { ownPasskeys } from '../../passkeys/own-passkeys.ts';
import type { Locate } from '../geolocation.ts';
import { presentSession, sessionRecord } from '../list-sessions.ts';
import { ownEvents, presentToPerson } from '../own-audit.ts';
import { presentProfile, profileRecord } from '../profile.ts';
import { organizationsOf, ownRoles, presentShared, sharedChatbots } from '../roles.ts';
import { liveSessions } from '../sessions-live.ts';
import { type Section, sectionsOf } from './render.ts';

/** Whose data is read, and when. */
export interface Subject {
  db: Database;
  locate: Locate;
  request: FastifyRequest;
  user: WithId<User>;
  user_id: string;
  /** In lower case. */
  email: string;
  /** Unix milliseconds. */
  at: number;
}

/** Records that one command reads. */
const PAGE = 200;

const dateTime = z.string().meta({ format: 'date-time' });

const addresses = z
  .object({
    pending: z
      .object({ email: z.string(), expires_at: dateTime })
      .nullable()
      .meta({ description: 'The address that the account is to get once a code confirms it' }),
    former: z
      .array(z.object({ email: z.string(), until: dateTime }))
      .meta({ description: 'The addresses that can undo a change, until when' }),
  })
  .meta({
    examples: [{ pending: null, former: [{ email: 'ada@old.example', until: '2026-01-18T09:30:00.000Z' }] }],
  });

const webhook = z
  .object({
    webhook_id: z.string(),
    name: z.string().nullable(),
    description: z.string().nullable(),
    url: z.string(),
    events: z.array(z.string()),
    chatbot_ids: z.array(z.string()),
    headers: z.array(z.string()).meta({ description: 'The names of the custom headers' }),
    status: z.string(),
    created_at: dateTime,
    updated_at: dateTime,
  })
  .meta({
    description: 'A webhook of the account',
    examples: [
      {
        webhook_id: '01936f2e-7d3c-7a44-8c1e-5b0f3f6a9d21',
        name: 'Helpdesk',
        description: null,
        url: 'https://app.example.com/hooks',
        events: ['user.updated'],
        chatbot_ids: [],
        headers: ['Authorization'],
        status: 'active',
        created_at: '2026-01-15T09:30:00.000Z',
        updated_at: '2026-01-15T09:30:00.000Z',
      },
    ],
  });

const identity = z
  .object({
    connection_id: z.string(),
    connection_name: z.string().nullable(),
    subject: z.string().nullable().meta({ description: 'Null until the first login' }),
    email: z.string().meta({ description: 'The address that the provider sent' }),
    created_at: dateTime,
    last_login_at: dateTime.nullable().meta({ description: 'To the hour' }),
  })
  .meta({
    description: 'A link to a person at a provider of single sign-on',
    examples: [
      {
        connection_id: '01936f2e-7d3c-7a44-8c1e-5b0f3f6a9d21',
        connection_name: 'Analytical Engines',
        subject: '8c9b12e8-b8a6-4874-8801-edee9818ec39',
        email: 'ada@example.com',
        created_at: '2026-01-15T09:30:00.000Z',
        last_login_at: '2026-01-15T09:00:00.000Z',
      },
    ],
  });

const picture = z
  .object({
    type: z.string(),
    content: z.string().meta({ description: 'The image in Base64' }),
    created_at: dateTime,
  })
  .nullable()
  .meta({
    description: 'The picture; null without one',
    examples: [{ type: 'image/png', content: 'iVBORw0KGgo…', created_at: '2026-01-15T09:30:00.000Z' }],
  });

const link = linkRecord.extend({
  identity: z.string().meta({ description: 'The issuer and the subject of the person at the provider' }),
});

const { one, list } = sectionsOf<Subject>();

/** The parts of the document, in their order. */
export const SECTIONS = {
  exported_at: one(dateTime.meta({ format: 'date-time', examples: ['2026-01-15T09:30:00.000Z'] }), ({ at }) =>
    new Date(at).toISOString(),
  ),
  profile: one(profileRecord, ({ user }) => presentProfile(user)),
  picture: one(picture, async ({ db, user }) => {
    const stored = user.picture === undefined ? null : await db.pictures.findOne({ _id: user.picture });
    if (!stored) return null;
    const { type, content, created_at } = stored;
    return { type, content: content.toString('base64'), created_at: created_at.toISOString() };
  }),
  addresses: one(addresses, ({ user: { email_change, email_undos = [] } }) => ({
    pending: email_change
      ? { email: email_change.email, expires_at: email_change.expires_at.toISOString() }
      : null,
    former: email_undos.map(({ email, until }) => ({ email, until: until.toISOString() })),
  })),
  second_factor: one(factorsRecord, ({ user, at }) => presentFactors(user, at)),
  passkeys: list(passkeyRecord, async function* ({ db, user }) {
    for (const passkey of await ownPasskeys(db, user)) yield presentPasskey(passkey);
  }),
  keys: list(keyRecord, async function* ({ db, user }) {
    for (const key of await keysOf(db, user._id)) yield presentKey(key);
  }),
  sessions: list(sessionRecord, async function* ({ db, locate, request, user_id, at }) {
    for (const session of await liveSessions(db, request, user_id, at)) yield presentSession(session, locate);
  }),
  organizations: list(ownRoles.shape.organizations.element, async function* ({ db, user_id }) {
    yield* await organizationsOf(db, await rolesOf(db, user_id));
  }),
  shared_chatbots: list(ownRoles.shape.shared_chatbots.element, async function* ({ db, user_id }) {
    for await (const chatbot of sharedChatbots(db, user_id).batchSize(PAGE)) yield presentShared(chatbot);
  }),
  // The name of the inviter is theirs.
  invitations: list(receivedInvitation.omit({ granted_by_name: true }), async function* (subject) {
    const all = { page: 1, limit: Number.MAX_SAFE_INTEGER, sort_by: 'granted_at', order: 'desc' } as const;
    yield* (await receivedInvitations(subject.db, subject, subject.at, all)).data;
  }),
  chatbots: list(chatbotRecord, ({ db, user_id }) =>
    db.chatbots.find(
      { owner_id: user_id },
      { sort: { department_id: 1, created_at: 1, chatbot_id: 1 }, batchSize: PAGE },
    ),
  ),
  webhooks: list(webhook, async function* ({ db, user_id }) {
    for await (const stored of db.webhooks.find({ owner_id: user_id })) yield presentOwned(stored);
  }),
  identities: list(identity, identitiesOf),
  links: list(link, async function* ({ db, user, user_id }) {
    for (const name of await ownLinks(db, user.links, user_id))
      yield { ...presentLink(name), identity: name._id.slice(name._id.indexOf(':') + 1) };
  }),
  audit: list(auditRecord, async function* ({ db, at, user, user_id }) {
    const events = anyOf<AuditEvent>(ownEvents(user, user_id, { at: { $lte: new Date(at) } }));
    const newestFirst = { sort: { at: -1, event_id: -1 }, batchSize: PAGE } as const;
    for await (const event of db.auditEvents.find(events, newestFirst)) yield presentToPerson(user, event);
  }),
} satisfies Record<string, Section<Subject>>;

const presentOwned = (stored: Webhook): z.infer<typeof webhook> => ({
  webhook_id: stored.webhook_id,
  name: stored.name ?? null,
  description: stored.description ?? null,
  url: stored.url,
  events: stored.events,
  chatbot_ids: stored.chatbot_ids ?? [],
  headers: (stored.headers ?? []).map(({ name }) => name),
  status: stored.status,
  created_at: stored.created_at.toISOString(),
  updated_at: stored.updated_at.toISOString(),
});

async function* identitiesOf({ db, user_id }: Subject): AsyncGenerator<z.infer<typeof identity>> {
  const linked = await db.ssoIdentities.find({ user_id }).toArray();
  const connection_id = { $in: linked.map((each) => each.connection_id) };
  const connections = await db.ssoConnections
    .find({ connection_id }, { projection: { connection_id: 1, name: 1 } })
    .toArray();
  const nameOf = new Map(connections.map((each) => [each.connection_id, each.name]));
  for (const each of linked)
    yield {
      connection_id: each.connection_id,
      connection_name: nameOf.get(each.connection_id) ?? null,
      subject: each.subject ?? null,
      email: each.email,
      created_at: each.created_at.toISOString(),
      last_login_at: each.last_login_at?.toISOString() ?? null,
    };
}

const exampleOf = ({ schema, isList }: Section<Subject>) => {
  const examples = (schema.meta()?.examples ?? []) as unknown[];
  return isList ? examples : examples[0];
};

const everySection = <Value>(partOf: (section: Section<Subject>) => Value) =>
  Object.fromEntries(Object.entries(SECTIONS).map(([name, section]) => [name, partOf(section)]));

export const ownData = z
  .object(everySection(({ schema, isList }) => (isList ? z.array(schema) : schema)))
  .meta({ description: 'The data of the caller', examples: [everySection(exampleOf)] });
