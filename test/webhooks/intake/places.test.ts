import { beforeEach, describe, expect, test } from 'vitest';
import { outcome } from '../../fixtures/envelope.ts';
import { postJson } from '../../fixtures/http.ts';
import { bearerOf } from '../../fixtures/members.ts';
import { conversation, DATA } from '../event-samples.ts';
import { ada, receiver, service, withAda, withWebhooks } from '../with-webhooks.ts';

type Place = { organization_id: string; department_id: string };

let support: Place;
let sales: Place;
/** The webhooks of the organization and its departments. */
let hooks: Record<'whole' | 'support' | 'sales', string>;
withWebhooks();
withAda();
beforeEach(async () => {
  [support, sales] = (await service.organization(ada, 'Support', 'Sales')) as [Place, Place];
  const configure = (place: Partial<Place>) =>
    ada.configure({
      url: receiver.url,
      events: ['conversation.started', 'chatbot.created', 'payment.failed'],
      ...place,
    });
  hooks = {
    whole: await configure({ organization_id: support.organization_id }),
    support: await configure(support),
    sales: await configure(sales),
  };
});

/** Creates a chatbot of Ada. */
async function chatbot(place: Partial<Place> = {}): Promise<string> {
  const user = await service.db.users.findOne({ user_id: ada.user_id });
  if (!user) throw new Error('no user');
  const body = { name: 'Porter', type: '3d', avatar_id: '7', language: 'en', ...place };
  const headers = { authorization: bearerOf(user, service.clock.now()) };
  const answer = await postJson(`${service.user}/api/v1/chatbots/create`, body, headers);
  expect(answer.status).toBe(201);
  return answer.body.chatbot_id;
}

/** Who got an event, by the names of the webhooks. */
async function heard(event_id: string): Promise<string[]> {
  const deliveries = await service.db.webhookDeliveries.find({ event_id }).toArray();
  const ids = deliveries.map(({ webhook_id }) => webhook_id);
  return Object.entries(hooks).flatMap(([name, webhook_id]) => (ids.includes(webhook_id) ? [name] : []));
}
const about = (chatbot_id: string, fields: object = {}) =>
  conversation('User-999999', { data: { ...DATA['conversation.started'], chatbot_id }, ...fields });
async function publish(event: { id: string }): Promise<string[]> {
  expect((await service.publish(event)).body).toStrictEqual({ accepted: [event.id], known: [] });
  return heard(event.id);
}

describe('a published event reaches the webhooks', () => {
  test("those of its chatbot's department and organization", async () => {
    expect(await publish(about(await chatbot(support)))).toEqual(['whole', 'support']);
  });

  test('none if its chatbot is personal or unknown', async () => {
    expect(await publish(about(await chatbot()))).toEqual([]);
    expect(await publish(about('unknown'))).toEqual([]);
  });

  test('those of the tenant that it names, if its chatbot is not stored here', async () => {
    const payment = { event: 'payment.failed', data: DATA['payment.failed'] };
    const { organization_id, department_id } = sales;
    expect(await publish(conversation('User-999999', { ...payment, ...sales }))).toEqual(['whole', 'sales']);
    expect(await publish(about('elsewhere', sales))).toEqual(['whole', 'sales']);
    expect(await publish(about('elsewhere', { department_id }))).toEqual(['whole', 'sales']);
    expect(await publish(about('elsewhere', { organization_id }))).toEqual(['whole']);
  });

  test("only those of its chatbot's tenant, whatever tenant it names", async () => {
    expect(await publish(about(await chatbot(support), sales))).toEqual(['whole', 'support']);
    expect(await publish(about(await chatbot(), sales))).toEqual([]);
  });

  test('none if its department does not exist, without blocking other events', async () => {
    const events = [
      conversation(ada.user_id, { department_id: 'deleted' }),
      conversation(ada.user_id, support),
    ];
    const ids = events.map(({ id }) => id);
    expect((await service.publish(events)).body).toStrictEqual({ accepted: ids, known: [] });
    expect(await heard(String(ids[0]))).toEqual([]);
    expect(await heard(String(ids[1]))).toEqual(['whole', 'support']);
  });

  test('once, even if its chatbot moved before it is published again', async () => {
    const bot = await chatbot(support);
    const event = about(bot);
    await publish(event);
    await service.db.chatbots.updateOne({ chatbot_id: bot }, { $set: sales });
    expect((await service.publish(event)).body).toStrictEqual({ accepted: [], known: [event.id] });
    expect(await heard(event.id)).toEqual(['whole', 'support']);
    expect(await publish(about(bot))).toEqual(['whole', 'sales']);
  });
});

test('refuses a department with an organization that is not its own', async () => {
  const [other] = await service.organization(ada, 'Other');
  const fields = { organization_id: other?.organization_id, department_id: support.department_id };
  const answer = await service.publish([conversation(ada.user_id), conversation(ada.user_id, fields)]);
  expect(outcome(answer)).toStrictEqual(
    service.failure(
      answer,
      400,
      'INVALID_FORMAT',
      'The request is malformed',
      '1.department_id must be a department of the organization',
    ),
  );
  expect(await service.db.events.countDocuments({ owner_id: ada.user_id })).toBe(0);
});

test("chatbot.created reaches the webhooks of the chatbot's tenant", async () => {
  expect(await heard(`chatbot-created_${await chatbot(support)}`)).toEqual(['whole', 'support']);
  expect(await heard(`chatbot-created_${await chatbot(sales)}`)).toEqual(['whole', 'sales']);
  expect(await heard(`chatbot-created_${await chatbot()}`)).toEqual([]);
});
