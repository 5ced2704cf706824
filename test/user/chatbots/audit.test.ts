import type { AuditEvent } from '@gatehouse/shared/identity/audit';
import { beforeAll, describe, expect, test } from 'vitest';
import { auditEvent, eventsOf } from '../../fixtures/audit.ts';
import { type Person, RECEPTIONIST } from './chatbot-service.ts';
import { service, withChatbots } from './with-chatbots.ts';

let ada: Person;
withChatbots();
beforeAll(async () => {
  ada = await service.newPerson();
});

const PERSONAL = { organization_id: null, department_id: null };
const created = () => ({ ...RECEPTIONIST, status: 'active', owner_id: ada.user_id as string });
const event = (fields: Pick<AuditEvent, 'action'> & Partial<AuditEvent>) =>
  auditEvent(service.clock.now(), { user_id: ada.user_id, email: expect.any(String), ...fields });

describe.each([
  ['a personal chatbot', async () => PERSONAL],
  ['a chatbot of a department', async () => (await service.newOrganization([ada]))[0]],
])('%s leaves one event when it', (_what, newPlace) => {
  const newChatbot = async () => {
    const place = await newPlace();
    const { department_id } = place;
    return { place, create: () => ada.create(department_id === null ? {} : { department_id }) };
  };

  test('is created', async () => {
    const { place, create } = await newChatbot();
    let chatbot_id = '';
    const events = await eventsOf(service, async () => {
      ({ chatbot_id } = await create());
    });
    expect(events).toEqual([
      event({ action: 'chatbot.create', target: { chatbot_id }, after: created(), ...place }),
    ]);
  });

  test('is changed', async () => {
    const { place, create } = await newChatbot();
    const { chatbot_id } = await create();
    const after = { name: 'Night porter', status: 'paused' };
    const events = await eventsOf(service, () => ada.call('PATCH', `/${chatbot_id}`, after));
    const before = { name: RECEPTIONIST.name, status: 'active' };
    expect(events).toEqual([
      event({ action: 'chatbot.update', target: { chatbot_id }, before, after, ...place }),
    ]);
  });

  test('is duplicated', async () => {
    const { place, create } = await newChatbot();
    const { chatbot_id: copy_of } = await create();
    let copy = { chatbot_id: '', name: '' };
    const events = await eventsOf(service, async () => {
      copy = (await ada.call('POST', `/${copy_of}/duplicate`)).body;
    });
    const { chatbot_id, name } = copy;
    const after = { ...created(), name, copy_of };
    expect(events).toEqual([event({ action: 'chatbot.duplicate', target: { chatbot_id }, after, ...place })]);
  });

  test('is deleted', async () => {
    const { place, create } = await newChatbot();
    const { chatbot_id } = await create();
    const events = await eventsOf(service, () => ada.call('DELETE', `/${chatbot_id}`));
    expect(events).toEqual([
      event({ action: 'chatbot.delete', target: { chatbot_id }, before: created(), ...place }),
    ]);
  });
});

test('a refused change leaves no event', async () => {
  const { chatbot_id } = await ada.create();
  const eve = await service.newPerson();
  const events = await eventsOf(service, async () => {
    const path = `/${chatbot_id}`;
    for (const [method, url, body] of [
      ['PATCH', path, { name: 'x' }],
      ['DELETE', path],
      ['POST', `${path}/duplicate`],
    ] as const)
      expect((await eve.call(method, url, body)).status).toBe(404);
  });
  expect(events).toEqual([]);
});
