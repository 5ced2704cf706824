import { ROLES } from '@gatehouse/shared/access/rbac';
import { beforeEach, describe, expect, test } from 'vitest';
import type { Chatbot } from '../../../../services/user/chatbots/records.ts';
import { outcome } from '../../../fixtures/envelope.ts';
import { may } from '../../../fixtures/permissions.ts';
import { notFound, STRANGE_IDS } from '../../access/failures.ts';
import type { Person } from '../chatbot-service.ts';
import { ada, bob, eve, service, withChatbots, withPeople } from '../with-chatbots.ts';

let chatbot: Chatbot;
withChatbots();
withPeople();
beforeEach(async () => {
  chatbot = await ada.create();
});

const list = (person: Person, { chatbot_id } = chatbot) => person.call('GET', `/${chatbot_id}/access`);
const at = () => new Date(service.clock.now()).toISOString();

describe('GET /api/v1/chatbots/{chatbot_id}/access', () => {
  test('lists only the creator, since the creation, before the first grant', async () => {
    expect(outcome(await list(ada))).toStrictEqual({
      status: 200,
      body: {
        chatbot_id: chatbot.chatbot_id,
        permissions: [
          {
            user_id: ada.user_id,
            name: null,
            role: 'Owner',
            granted_by: ada.user_id,
            granted_at: chatbot.created_at,
          },
        ],
      },
    });
  });

  test('lists every grant with its granter and date, the owner first', async () => {
    service.clock.advance(60);
    await ada.grant(chatbot, bob, 'Owner');
    const shared = at();
    service.clock.advance(60);
    await bob.grant(chatbot, eve, 'Editor');
    const expected = [
      { user_id: ada.user_id, role: 'Owner', granted_by: ada.user_id, granted_at: chatbot.created_at },
      { user_id: bob.user_id, role: 'Owner', granted_by: ada.user_id, granted_at: shared },
      { user_id: eve.user_id, role: 'Editor', granted_by: bob.user_id, granted_at: at() },
    ];
    for (const person of [ada, bob, eve])
      expect((await list(person)).body).toStrictEqual({
        chatbot_id: chatbot.chatbot_id,
        permissions: expected.map((grant) => ({ ...grant, name: null })),
      });
  });

  test('lists the owner first, whatever the stored order', async () => {
    const [first, second] = [bob, ada].map(({ user_id }) => ({
      user_id: String(user_id),
      role: 'Owner' as const,
      granted_by: String(ada.user_id),
      granted_at: at(),
    }));
    const { chatbot_id } = chatbot;
    await service.db.chatbots.updateOne({ chatbot_id }, { $set: { permissions: [first, second] as never } });
    expect((await list(bob)).body.permissions).toStrictEqual(
      [second, first].map((grant) => ({ ...grant, name: null })),
    );
  });

  test.each(ROLES)('requires a role that may view users: %s', async (role) => {
    await ada.grant(chatbot, bob, role);
    const answer = await list(bob);
    if (may(role, 'view users')) expect(answer.body.permissions).toHaveLength(2);
    else expect(outcome(answer)).toStrictEqual(notFound(service.clock));
  });

  test('lists grants, not roles in the department', async () => {
    const [place] = await service.newOrganization([eve]);
    await service.storeMember(ada, { ...place, role: 'Editor' });
    await service.storeMember(bob, { ...place, role: 'Viewer' });
    const { chatbot_id } = await ada.create({ department_id: place.department_id });
    for (const person of [ada, bob, eve])
      expect(
        (await list(person, { ...chatbot, chatbot_id })).body.permissions.map(
          ({ user_id }: { user_id: string }) => user_id,
        ),
      ).toEqual([ada.user_id]);
  });

  test('names those with a role in the department, and nobody on a personal chatbot', async () => {
    const [place] = await service.newOrganization([eve]);
    const named = [ada, eve].map(({ user_id }) => String(user_id));
    await service.db.users.updateMany({ user_id: { $in: named } }, { $set: { name: 'Ada' } });
    for (const person of [ada, bob]) await service.storeMember(person, { ...place, role: 'Editor' });
    const shared = await ada.create({ department_id: place.department_id });
    for (const person of [bob, eve]) await eve.grant(shared, person, 'Viewer');
    await service.db.memberships.deleteOne({ user_id: String(bob.user_id) });
    const names = async (of: Chatbot) =>
      (await list(ada, of)).body.permissions.map(({ name }: { name: unknown }) => name);
    expect(await names(shared)).toEqual(['Ada', null, 'Ada']);
    await ada.grant(chatbot, bob, 'Viewer');
    expect(await names(chatbot)).toEqual([null, null]);
  });

  test('returns 404 for an unknown chatbot, and for one on which the caller has no role', async () => {
    expect(outcome(await list(bob))).toStrictEqual(notFound(service.clock));
    for (const id of STRANGE_IDS)
      expect(outcome(await ada.call('GET', `/${id}/access`)), id.slice(0, 40)).toStrictEqual(
        notFound(service.clock),
      );
  });
});
