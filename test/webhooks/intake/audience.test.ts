import { randomUUIDv7 } from 'node:crypto';
import type { Accept } from '@gatehouse/webhooks/accept';
import type { Audience, Webhook } from '@gatehouse/webhooks/records';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { eventually } from '../../fixtures/eventually.ts';
import { acceptOnly } from '../accept.ts';
import { DATA } from '../event-samples.ts';
import { storedWebhook } from '../stored-webhook.ts';
import type { Person } from '../webhook-service.ts';
import { receiver, service, withWebhooks } from '../with-webhooks.ts';

let accept: Accept;
let ada: Person;
withWebhooks();
beforeAll(() => {
  const { db, clock } = service;
  accept = acceptOnly({ db, now: clock.now });
});

const NOBODY: Audience = { owner_id: null, organization_id: null, department_id: null, chatbot_id: null };
let ORGANIZATION: string;
let OTHER: string;
let SUPPORT: string;
let SALES: string;

/** Accepts an event. @returns its id. */
async function acceptFor(audience: Partial<Audience>): Promise<string> {
  const id = randomUUIDv7();
  const event = 'conversation.started';
  expect(await accept({ id, event, audience: { ...NOBODY, ...audience }, data: DATA[event] })).toBe(
    'accepted',
  );
  return id;
}

/** The webhooks that hear an event, by their names. */
async function heard(audience: Partial<Audience>): Promise<string[]> {
  const id = await acceptFor(audience);
  const deliveries = await service.db.webhookDeliveries.find({ event_id: id }).toArray();
  return deliveries.map(({ webhook_id }) => webhook_id).sort();
}

/** Stores webhooks of all kinds. They are paused and send nothing. */
beforeEach(async () => {
  await service.db.webhooks.deleteMany({});
  ada = await service.person();
  const [support, sales] = await service.organization(ada, 'Support', 'Sales');
  const [other] = await service.organization(ada, 'Support');
  if (!support || !sales || !other) throw new Error('not stored');
  ORGANIZATION = support.organization_id;
  [SUPPORT, SALES, OTHER] = [support.department_id, sales.department_id, other.organization_id];
  const place = { owner_id: null, organization_id: ORGANIZATION, department_id: null };
  const hooks: Record<string, Partial<Webhook>> = {
    own: { owner_id: ada.user_id },
    'own, one chatbot': { owner_id: ada.user_id, chatbot_ids: ['bot-1'] },
    organization: place,
    'organization, one chatbot': { ...place, chatbot_ids: ['bot-1', 'bot-2'] },
    support: { ...place, department_id: SUPPORT },
    'support, one chatbot': { ...place, department_id: SUPPORT, chatbot_ids: ['bot-1'] },
    sales: { ...place, department_id: SALES },
    'other organization': { ...place, organization_id: OTHER },
  };
  await service.db.webhooks.insertMany(
    Object.entries(hooks).map(([webhook_id, fields]) => storedWebhook({ webhook_id, ...fields })),
  );
});

describe('an event is heard', () => {
  test('by the webhooks of its account', async () => {
    expect(await heard({ owner_id: ada.user_id })).toEqual(['own']);
    expect(await heard({ owner_id: ada.user_id, chatbot_id: 'bot-1' })).toEqual(['own', 'own, one chatbot']);
    expect(await heard({ owner_id: ada.user_id, chatbot_id: 'bot-2' })).toEqual(['own']);
  });

  test('by the webhooks of its organization', async () => {
    expect(await heard({ organization_id: ORGANIZATION })).toEqual(['organization']);
    expect(await heard({ organization_id: OTHER })).toEqual(['other organization']);
  });

  test('by the webhooks of its department and of the whole organization', async () => {
    const place = { organization_id: ORGANIZATION, department_id: SUPPORT };
    expect(await heard(place)).toEqual(['organization', 'support']);
    expect(await heard({ ...place, chatbot_id: 'bot-1' })).toEqual([
      'organization',
      'organization, one chatbot',
      'support',
      'support, one chatbot',
    ]);
    expect(await heard({ ...place, chatbot_id: 'bot-2' })).toEqual([
      'organization',
      'organization, one chatbot',
      'support',
    ]);
  });

  test('by the webhooks of its account and its place', async () => {
    const place = { organization_id: ORGANIZATION, department_id: SALES };
    expect(await heard({ owner_id: ada.user_id, ...place })).toEqual(['organization', 'own', 'sales']);
  });

  test('by every organization of its account, but by none of their departments', async () => {
    const audience = { owner_id: ada.user_id, other_organization_ids: [ORGANIZATION, OTHER] };
    expect(await heard(audience)).toEqual(['organization', 'other organization', 'own']);
  });

  test('by no reader without an audience', async () => {
    expect(await heard({})).toEqual([]);
    expect(await heard({ chatbot_id: 'bot-1' })).toEqual([]);
  });

  test('by shared webhooks whatever becomes of the account', async () => {
    await service.db.users.updateOne({ user_id: ada.user_id }, { $set: { account_status: 'disabled' } });
    expect(await heard({ owner_id: ada.user_id, organization_id: ORGANIZATION })).toEqual(['organization']);
  });
});

describe('the webhooks of an archived tenant get nothing', () => {
  const archived_at = '2026-01-15T09:30:00.000Z';
  const heardInSupport = () => heard({ organization_id: ORGANIZATION, department_id: SUPPORT });

  test('in a department', async () => {
    await service.db.departments.updateOne({ department_id: SUPPORT }, { $set: { archived_at } });
    expect(await heardInSupport()).toEqual(['organization']);
    await service.db.departments.updateOne({ department_id: SUPPORT }, { $unset: { archived_at: '' } });
    expect(await heardInSupport()).toEqual(['organization', 'support']);
  });

  test('in an organization with its departments', async () => {
    const organization = { organization_id: ORGANIZATION };
    await service.db.organizations.updateOne(organization, { $set: { archived_at } });
    expect(await heardInSupport()).toEqual([]);
    await service.db.organizations.deleteOne(organization);
    expect(await heardInSupport()).toEqual([]);
  });

  test('and pending deliveries wait', async () => {
    const support = { department_id: SUPPORT };
    const webhook_id = await ada.configure({ url: receiver.url, ...support });
    await service.db.webhooks.updateOne({ webhook_id }, { $set: { status: 'paused' } });
    const event = await acceptFor({ organization_id: ORGANIZATION, ...support });
    await service.db.departments.updateOne(support, { $set: { archived_at } });
    const due_at = new Date(service.clock.now());
    await service.db.webhooks.updateOne({ webhook_id }, { $set: { status: 'active', due_at } });
    const later = new Date(service.clock.now() + 30_000);
    await eventually(async () =>
      expect(await service.stored(webhook_id)).toMatchObject({ lease: null, due_at: later }),
    );
    expect(receiver.received).toEqual([]);
    await service.db.departments.updateOne(support, { $unset: { archived_at: '' } });
    service.clock.advance(30);
    await service.settled(webhook_id, 'delivered');
    expect(receiver.ids()).toEqual([event]);
  });
});

test('an event accepted again for another tenant is known and is not delivered there', async () => {
  const incoming = {
    id: randomUUIDv7(),
    event: 'conversation.started' as const,
    audience: { ...NOBODY, organization_id: ORGANIZATION },
    data: DATA['conversation.started'],
  };
  expect(await accept(incoming)).toBe('accepted');
  expect(await accept({ ...incoming, audience: { ...NOBODY, organization_id: OTHER } })).toBe('known');
  const deliveries = await service.db.webhookDeliveries.find({ event_id: incoming.id }).toArray();
  expect(deliveries.map(({ webhook_id }) => webhook_id)).toEqual(['organization']);
});
