import { randomUUIDv7 } from 'node:crypto';
import { orderedUuid } from '@gatehouse/shared/identity/audit';
import type { User } from '@gatehouse/shared/identity/user-record';
import { Binary, type WithId } from 'mongodb';
import type { StoredChatbot } from '../../../../services/user/chatbots/records.ts';
import type { Database } from '../../../../services/user/database.ts';
import type { Clock } from '../../../fixtures/clock.ts';
import { newMember } from '../../../fixtures/members.ts';
import { storedWebhook } from '../../../webhooks/stored-webhook.ts';
import { storeOrganization } from '../../access/store-organization.ts';
import { RECEPTIONIST } from '../../chatbots/chatbot-service.ts';
import { storeExport } from '../../organizations/store-export.ts';

const DAY = 86_400_000;
let lives = 0;

export const storedChatbot = (
  owner_id: string,
  at: string,
  fields: Partial<StoredChatbot> = {},
): StoredChatbot => ({
  ...RECEPTIONIST,
  chatbot_id: randomUUIDv7(),
  status: 'active',
  owner_id,
  organization_id: null,
  department_id: null,
  created_at: at,
  updated_at: at,
  name_suffixes: [],
  ...fields,
});

/** Stores a person who asked to delete the account 14 days ago, and something in each place that could name them. */
export async function storeRichLife({ db, clock }: { db: Database; clock: Clock }) {
  lives += 1;
  const texts = {
    address: `countess-${lives}@lovelace.example`,
    name: `Augusta-${lives} Byron`,
    phone: `+44 20 7946 ${1_000 + lives}`,
  };
  const now = clock.now();
  const at = new Date(now - 20 * DAY).toISOString();
  const ada = (await newMember(db, {
    email: texts.address,
    name: texts.name,
    phone: texts.phone,
    features_assigned: true,
    address_since: new Date(at),
    deletion: {
      requested_at: new Date(now - 14 * DAY),
      due_at: new Date(now),
      next: new Date(now),
    },
  })) as WithId<User> & { user_id: string };
  await db.pictures.insertOne({
    _id: `picture-${lives}`,
    user_id: ada.user_id,
    type: 'image/png',
    content: new Binary(Buffer.from(texts.name)),
    created_at: new Date(at),
  });
  const grace = (await newMember(db)) as WithId<User> & { user_id: string };
  const { user_id } = ada;
  const { organization, departments } = await storeOrganization(db, {
    name: 'Engines',
    owners: [user_id, grace.user_id],
    departments: ['Support', 'Sales'],
    now,
  });
  const { organization_id } = organization;
  const [support, sales] = departments as [(typeof departments)[0], (typeof departments)[0]];
  const elsewhere = await storeOrganization(db, {
    name: 'Looms',
    owners: [grace.user_id],
    departments: ['Weaving'],
    now,
  });
  const [weaving] = elsewhere.departments as [(typeof departments)[0]];
  const member = { membership_id: '', role: 'Editor', granted_by: grace.user_id, granted_at: at } as const;
  const pending = { valid_until: new Date(now + DAY), expires_at: new Date(now + 30 * DAY) };
  const place = (department: typeof support) => ({
    organization_id: department.organization_id,
    department_id: department.department_id,
  });
  await db.memberships.insertMany(
    [
      { ...member, ...place(support), user_id, email: texts.address, joined_at: new Date(at) },
      { ...member, ...place(sales), email: texts.address, ...pending },
      { ...member, ...place(weaving), invited_id: user_id, ...pending },
      { ...member, ...place(sales), email: `friend-${lives}@example.com`, granted_by: user_id, ...pending },
    ].map((membership) => ({ ...membership, membership_id: randomUUIDv7() })),
  );
  await db.organizationPeople.insertOne({ organization_id, user_id, enrolled_at: new Date(at) });
  const offer = { invitation_id: '', transfer: false, granted_at: at, expires_at: new Date(now + DAY) };
  const offered = (offers: object[]) => ({ $set: { offers } }) as never;
  await db.organizations.updateOne(
    { organization_id },
    offered([{ ...offer, invitation_id: randomUUIDv7(), user_id: 'User-1', granted_by: user_id }]),
  );
  await db.organizations.updateOne(
    { organization_id: elsewhere.organization.organization_id },
    offered([{ ...offer, invitation_id: randomUUIDv7(), user_id, granted_by: grace.user_id }]),
  );
  const chatbot = (owner_id: string, fields?: Partial<StoredChatbot>) => storedChatbot(owner_id, at, fields);
  const grant = (to: string, role: 'Owner' | 'Editor', granted_by: string) => ({
    user_id: to,
    role,
    granted_by,
    granted_at: at,
  });
  const chatbots = {
    own: chatbot(user_id),
    shared: chatbot(user_id, { permissions: [grant(grace.user_id, 'Owner', user_id)] }),
    received: chatbot(grace.user_id, { permissions: [grant(user_id, 'Editor', grace.user_id)] }),
    department: chatbot(user_id, place(support)),
  };
  await db.chatbots.insertMany(Object.values(chatbots));
  const webhook_id = randomUUIDv7();
  await db.webhooks.insertOne(storedWebhook({ webhook_id, owner_id: user_id, created_by: user_id }));
  await db.webhookDeliveries.insertMany(
    ['1', '2'].map(
      (seq) =>
        ({ _id: `${webhook_id}-${seq}`, webhook_id, payload: texts.name, created_at: new Date(at) }) as never,
    ),
  );
  const heard = { event: 'user.updated', payload: texts.name, organization_id: null, department_id: null };
  await db.events.insertMany([
    { ...heard, _id: randomUUIDv7(), owner_id: user_id, readers: [user_id], position: 2 * lives } as never,
    {
      ...{ ...heard, payload: '{}', organization_id },
      ...{
        _id: randomUUIDv7(),
        owner_id: user_id,
        readers: [user_id, organization_id],
        position: 2 * lives + 1,
      },
    } as never,
  ]);
  await storeExport({ db, clock }, { organization_id, department_id: null, created_by: user_id }, [
    Buffer.from(texts.name),
  ]);
  const connection_id = randomUUIDv7();
  await db.ssoIdentities.insertOne({
    identity_id: randomUUIDv7(),
    connection_id,
    subject: texts.name,
    user_id,
    email: texts.address,
    created_at: new Date(at),
    updated_at: new Date(at),
  });
  await db.ssoSessions.insertOne({
    connection_id,
    subject: texts.name,
    user_id,
    sid: randomUUIDv7(),
    username: texts.address,
    expires_at: new Date(now + DAY),
  });
  const passkey = randomUUIDv7();
  await db.passkeys.insertOne({
    _id: passkey,
    passkey_id: randomUUIDv7(),
    account: ada._id,
    name: texts.name,
    public_key: '',
    counter: 0,
    synced: true,
    aaguid: '',
    transports: [],
    created_at: new Date(at),
  });
  await db.users.updateOne({ user_id }, { $set: { passkeys: [passkey], passkey_handle: texts.name } });
  await db.features.insertOne({
    user_id,
    subscription_id: 'free',
    subscription_plan: 'Free',
    assigned_at: at,
  });
  await db.budgets.insertMany(
    [
      `codes to ${texts.address}`,
      `inviter ${user_id}`,
      `confirm ${ada._id.toHexString()}`,
      `data of ${ada._id.toHexString()}`,
      `passkeys of ${ada._id.toHexString()}`,
    ].map((key) => ({
      key,
      uses: [],
      expires_at: new Date(now + DAY),
    })),
  );
  const event = {
    at: new Date(at),
    outcome: 'success',
    user_id,
    email: texts.address,
    target: {},
    before: null,
    after: null,
    organization_id: null,
    department_id: null,
    address: '192.0.2.7',
    request_id: 'r',
  };
  const about = { ...event, user_id: grace.user_id, email: 'grace@example.com', address: '192.0.2.8' };
  const session = { id: randomUUIDv7(), device: 'Difference Engine', expires_at: new Date(now) };
  await db.auditEvents.insertMany(
    [
      { ...event, action: 'login' as const, session },
      { ...event, action: 'login' as const, user_id: null, outcome: 'throttled' },
      { ...event, action: 'profile.update' as const, after: { name: texts.name, phone: texts.phone } },
      { ...event, action: 'department.update' as const, organization_id, after: { name: 'Support' } },
      {
        ...about,
        action: 'scim.user' as const,
        organization_id,
        target: { user_id },
        after: { userName: texts.address },
      },
      {
        ...about,
        action: 'invitation.create' as const,
        organization_id,
        target: { email: texts.address },
        after: { role: 'Viewer' },
      },
      {
        ...about,
        action: 'invitation.accept' as const,
        organization_id,
        target: { user_id, email: texts.address },
      },
    ].map((each) => ({ ...each, event_id: orderedUuid() })),
  );
  return {
    texts: { ...texts, user_id, network: '192.0.2.7', device: session.device },
    ada,
    grace,
    organization_id,
    department_id: support.department_id,
    chatbots,
  };
}

/** Where the user_id alone may stay (CONTRACT.md §Deletion of accounts). */
export const LEFT = [
  'audit_events.target.user_id: user_id',
  'audit_events.user_id: user_id',
  'chatbots.permissions.granted_by: user_id',
  'deleted_users._id: user_id',
];
