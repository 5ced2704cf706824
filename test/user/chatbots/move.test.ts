import { beforeAll, describe, expect, test, vi } from 'vitest';
import { eventsOf } from '../../fixtures/audit.ts';
import { outcome } from '../../fixtures/envelope.ts';
import { forbidden, malformed, missing, notFound } from '../access/failures.ts';
import type { Person, Place } from './chatbot-service.ts';
import { service, withChatbots } from './with-chatbots.ts';

let ada: Person;
let editor: Person;
let viewer: Person;
let sales: Place;
let support: Place;
/** A department of another organization, which Ada owns too. */
let abroad: Place;
withChatbots();
beforeAll(async () => {
  [ada, editor, viewer] = [await service.newPerson(), await service.newPerson(), await service.newPerson()];
  [sales, support] = (await service.newOrganization([ada], 2)) as [Place, Place];
  [abroad] = await service.newOrganization([ada]);
  for (const place of [sales, support]) await service.storeMember(editor, { ...place, role: 'Editor' });
  await service.storeMember(viewer, { ...sales, role: 'Viewer' });
});

const move = (person: Person, { chatbot_id }: { chatbot_id: string }, to: Partial<Place> | null) =>
  person.call('POST', `/${chatbot_id}/move`, { department_id: to?.department_id ?? null });
const access = async ({ chatbot_id }: { chatbot_id: string }) =>
  (await ada.call('GET', `/${chatbot_id}/access`)).body.permissions.map(
    ({ user_id, role }: { user_id: string; role: string }) => [user_id, role],
  );

describe('POST /api/v1/chatbots/{chatbot_id}/move', () => {
  test('moves a chatbot to another department; its owner is a member there and stays', async () => {
    const chatbot = await editor.create(sales);
    service.clock.advance(60);
    const moved = await move(ada, chatbot, support);
    const updated_at = new Date(service.clock.now()).toISOString();
    expect(outcome(moved)).toStrictEqual({ status: 200, body: { ...chatbot, ...support, updated_at } });
    expect((await editor.call('GET', `/${chatbot.chatbot_id}`)).body).toStrictEqual(moved.body);
  });

  test('keeps the entries of members of the target only', async () => {
    const chatbot = await editor.create(sales);
    await service.storeMember(await service.newPerson(), { ...sales, role: 'Viewer' });
    await ada.grant(chatbot, viewer, 'Admin');
    await ada.grant(chatbot, ada, 'Admin');
    await move(ada, chatbot, support);
    expect(await access(chatbot)).toEqual([
      [editor.user_id, 'Owner'],
      [ada.user_id, 'Admin'],
    ]);
    // Joining later revives nothing.
    await service.storeMember(viewer, { ...support, role: 'Viewer' });
    const { body } = await viewer.call('GET', `/${chatbot.chatbot_id}/access/me`);
    expect(body.role).toBe('Viewer');
    await service.db.memberships.deleteOne({ ...support, user_id: String(viewer.user_id) });
  });

  test('makes the caller the owner if the owner is no member of the target', async () => {
    const chatbot = await editor.create(sales);
    await ada.grant(chatbot, ada, 'Viewer');
    const { body } = await move(ada, chatbot, abroad);
    expect(body).toMatchObject({ ...abroad, owner_id: ada.user_id });
    expect(await access(chatbot)).toEqual([[ada.user_id, 'Owner']]);
    expect((await editor.call('GET', `/${chatbot.chatbot_id}`)).status).toBe(404);
  });

  test('moves between a department and the personal chatbots of the caller', async () => {
    const chatbot = await editor.create(sales);
    await ada.grant(chatbot, viewer, 'Admin');
    const personal = await move(ada, chatbot, null);
    expect(personal.body).toMatchObject({
      organization_id: null,
      department_id: null,
      owner_id: ada.user_id,
    });
    expect(await access(chatbot)).toEqual([[ada.user_id, 'Owner']]);
    expect((await move(ada, chatbot, sales)).body).toMatchObject({ ...sales, owner_id: ada.user_id });
  });

  test('changes nothing where the chatbot already is', async () => {
    const own = await editor.create();
    const shared = await editor.create(sales);
    service.clock.advance(60);
    const events = await eventsOf(service, async () => {
      expect((await move(editor, own, null)).body).toStrictEqual(own);
      expect((await move(editor, shared, sales)).body).toStrictEqual(shared);
    });
    expect(events).toEqual([]);
  });

  test('needs the right to delete it here and to create it there', async () => {
    const chatbot = await editor.create(sales);
    const stranger = await service.newPerson();
    const admin = await service.newPerson();
    await service.storeMember(admin, { ...sales, role: 'Admin' });
    await ada.grant(chatbot, viewer, 'Viewer');
    expect(outcome(await move(viewer, chatbot, support))).toStrictEqual(forbidden(service.clock));
    expect(outcome(await move(stranger, chatbot, null))).toStrictEqual(notFound(service.clock));
    // Has no role in the target, then one that creates nothing, then one that does.
    expect(outcome(await move(admin, chatbot, support))).toStrictEqual(notFound(service.clock));
    await service.storeMember(admin, { ...support, role: 'Viewer' });
    expect(outcome(await move(admin, chatbot, support))).toStrictEqual(forbidden(service.clock));
    await service.db.memberships.updateOne(
      { ...support, user_id: String(admin.user_id) },
      { $set: { role: 'Editor' } },
    );
    expect((await move(admin, chatbot, support)).status).toBe(200);
    expect(await service.storedChatbot(chatbot.chatbot_id)).toMatchObject({
      ...support,
      owner_id: editor.user_id,
    });
  });

  test('refuses other bodies', async () => {
    const { chatbot_id } = await editor.create();
    for (const [body, failure] of [
      [{}, missing('department_id is required', service.clock)],
      [{ department_id: 7 }, malformed('department_id must be a string or null', service.clock)],
      [{ department_id: { $ne: null } }, malformed('department_id must be a string or null', service.clock)],
      [
        { department_id: 'x'.repeat(201) },
        malformed('department_id must be at most 200 characters', service.clock),
      ],
      [{ department_id: '' }, notFound(service.clock)],
      [{ department_id: '__proto__' }, notFound(service.clock)],
    ] as const)
      expect(outcome(await editor.call('POST', `/${chatbot_id}/move`, body))).toStrictEqual(failure);
  });

  test('leaves one event, and one in each organization if it crosses', async () => {
    const chatbot = await editor.create(sales);
    const { chatbot_id } = chatbot;
    const shown = (events: Awaited<ReturnType<typeof eventsOf>>) =>
      events.map(({ action, target, before, after, organization_id, department_id }) => {
        expect([action, target]).toEqual(['chatbot.move', { chatbot_id }]);
        return { organization_id, department_id, before, after };
      });
    const owner_id = editor.user_id;
    expect(shown(await eventsOf(service, () => move(ada, chatbot, support)))).toEqual([
      {
        ...support,
        before: { department_id: sales.department_id, owner_id },
        after: { department_id: support.department_id, owner_id },
      },
    ]);
    expect(shown(await eventsOf(service, () => move(ada, chatbot, abroad)))).toEqual([
      {
        ...support,
        before: { department_id: support.department_id, owner_id },
        after: { department_id: null },
      },
      {
        ...abroad,
        before: { department_id: null },
        after: { department_id: abroad.department_id, owner_id: ada.user_id },
      },
    ]);
    expect(shown(await eventsOf(service, () => move(ada, chatbot, null)))).toEqual([
      {
        ...abroad,
        before: { department_id: abroad.department_id, owner_id: ada.user_id },
        after: { department_id: null, owner_id: ada.user_id },
      },
    ]);
  });

  test('decides again when the access list changes meanwhile', async () => {
    const chatbot = await editor.create(sales);
    const { chatbots } = service.db;
    const spy = vi.spyOn(chatbots, 'findOneAndUpdate').mockImplementationOnce((async (
      ...given: Parameters<typeof chatbots.findOneAndUpdate>
    ) => {
      spy.mockRestore();
      await ada.grant(chatbot, viewer, 'Admin');
      return chatbots.findOneAndUpdate(...given);
    }) as never);
    await move(ada, chatbot, support);
    expect(await access(chatbot)).toEqual([[editor.user_id, 'Owner']]);
  });

  test('passes the chatbot on if its owner is removed from the target meanwhile', async () => {
    const leaver = await service.newPerson();
    for (const place of [sales, support]) await service.storeMember(leaver, { ...place, role: 'Editor' });
    const chatbot = await leaver.create(sales);
    const { chatbots, memberships } = service.db;
    const spy = vi.spyOn(chatbots, 'findOneAndUpdate').mockImplementationOnce((async (
      ...given: Parameters<typeof chatbots.findOneAndUpdate>
    ) => {
      spy.mockRestore();
      await memberships.deleteOne({ ...support, user_id: String(leaver.user_id) });
      return chatbots.findOneAndUpdate(...given);
    }) as never);
    expect((await move(ada, chatbot, support)).body).toMatchObject({ ...support, owner_id: ada.user_id });
  });

  test('concurrent moves all succeed and leave the chatbot in one of the targets', async () => {
    const chatbot = await editor.create(sales);
    await ada.grant(chatbot, viewer, 'Admin');
    const answers = await Promise.all(
      [support, null, abroad, sales, support].map((to) => move(ada, chatbot, to)),
    );
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    const stored = await service.storedChatbot(chatbot.chatbot_id);
    expect([support, abroad, sales, { organization_id: null, department_id: null }]).toContainEqual({
      organization_id: stored?.organization_id,
      department_id: stored?.department_id,
    });
  });
});
