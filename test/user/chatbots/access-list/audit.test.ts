import type { Role } from '@gatehouse/shared/access/rbac';
import type { AuditAction } from '@gatehouse/shared/identity/audit-actions';
import { expect, test } from 'vitest';
import { auditEvent, eventsOf } from '../../../fixtures/audit.ts';
import { service, withChatbots } from '../with-chatbots.ts';

withChatbots();

test.each<[action: AuditAction, before: Role | null, after: Role | null]>([
  ['access.grant', null, 'Editor'],
  ['access.grant', 'Editor', 'Viewer'],
  ['access.revoke', 'Viewer', null],
])('%s from %s to %s leaves one event', async (action, before, after) => {
  const [ada, grace] = [await service.newPerson(), await service.newPerson()];
  const chatbot = await ada.create();
  const { chatbot_id } = chatbot;
  if (before) await ada.grant(chatbot, grace, before);
  const user_id = String(grace.user_id);
  const events = await eventsOf(service, async () =>
    after
      ? ada.grant(chatbot, grace, after)
      : expect((await ada.call('DELETE', `/${chatbot_id}/access/${user_id}`)).status).toBe(200),
  );
  expect(events).toEqual([
    auditEvent(service.clock.now(), {
      action,
      user_id: ada.user_id,
      email: expect.any(String),
      target: { user_id, chatbot_id },
      before: before && { role: before },
      after: after && { role: after },
    }),
  ]);
});

test('on a chatbot of a department the event names its place', async () => {
  const [ada, grace] = [await service.newPerson(), await service.newPerson()];
  const [place] = await service.newOrganization([ada]);
  await service.storeMember(grace, { ...place, role: 'Viewer' });
  const chatbot = await ada.create({ department_id: place.department_id });
  const [event] = await eventsOf(service, () => ada.grant(chatbot, grace, 'Editor'));
  expect(event).toMatchObject(place);
});

test('a refused change leaves no event', async () => {
  const [ada, grace] = [await service.newPerson(), await service.newPerson()];
  const { chatbot_id } = await ada.create();
  const events = await eventsOf(service, async () => {
    const path = `/${chatbot_id}/access/${grace.user_id}`;
    expect((await grace.call('PUT', path, { role: 'Owner' })).status).toBe(404);
    expect((await ada.call('DELETE', `/${chatbot_id}/access/${ada.user_id}`)).status).toBe(403);
  });
  expect(events).toEqual([]);
});
