import { beforeAll, describe, expect, test } from 'vitest';
import { outcome } from '../../fixtures/envelope.ts';
import { notFound } from '../access/failures.ts';
import type { Person } from './chatbot-service.ts';
import { service, withChatbots } from './with-chatbots.ts';

let ada: Person;
let bob: Person;
withChatbots();
beforeAll(async () => {
  [ada, bob] = [await service.newPerson(), await service.newPerson()];
});

const duplicate = (person: Person, chatbot_id: string, body?: unknown) =>
  person.call('POST', `/${chatbot_id}/duplicate`, body);

describe('POST /api/v1/chatbots/{chatbot_id}/duplicate', () => {
  test('copies everything but the id, the name and the dates, and leaves the original unchanged', async () => {
    const { chatbot_id } = await ada.create({ type: 'voice', language: 'de' });
    const original = (await ada.call('PATCH', `/${chatbot_id}`, { status: 'paused' })).body;
    await service.db.chatbots.updateOne({ chatbot_id }, { $set: { secret: 'hidden' } as object });
    service.clock.advance(60);
    const answer = await duplicate(ada, chatbot_id);
    const at = new Date(service.clock.now()).toISOString();
    expect(outcome(answer)).toStrictEqual({
      status: 201,
      body: {
        ...original,
        chatbot_id: expect.not.stringMatching(chatbot_id),
        name: 'Receptionist (copy)',
        created_at: at,
        updated_at: at,
      },
    });
    expect(await service.storedChatbot(answer.body.chatbot_id)).toStrictEqual(answer.body);
    expect((await ada.call('GET', `/${chatbot_id}`)).body).toStrictEqual(original);
  });

  test('keeps the organization and the department', async () => {
    const { chatbot_id } = await ada.create();
    const [place] = await service.newOrganization([bob]);
    await service.db.chatbots.updateOne({ chatbot_id }, { $set: place });
    await service.storeMember(ada, { ...place, role: 'Editor' });
    expect((await duplicate(ada, chatbot_id)).body).toMatchObject(place);
  });

  test.each([
    ['a copy of a copy', 'Porter (copy)', 'Porter (copy) (copy)'],
    ['193 characters are kept', 'x'.repeat(193), `${'x'.repeat(193)} (copy)`],
    ['194 are cut', 'x'.repeat(194), `${'x'.repeat(193)} (copy)`],
    ['200 are cut', 'x'.repeat(200), `${'x'.repeat(193)} (copy)`],
    ['the cut is between two characters', '🤖'.repeat(200), `${'🤖'.repeat(193)} (copy)`],
    ['a space at the cut is trimmed', `${'x'.repeat(192)} yyyy`, `${'x'.repeat(192)} (copy)`],
  ])('appends " (copy)" to the name: %s', async (_what, name, copied) => {
    const { chatbot_id } = await ada.create({ name });
    const { body } = await duplicate(ada, chatbot_id);
    expect(body.name).toBe(copied);
    expect((await duplicate(ada, body.chatbot_id)).status).toBe(201);
  });

  test('ignores a body', async () => {
    const { chatbot_id } = await ada.create();
    const { status, body } = await duplicate(ada, chatbot_id, { name: 'Mine', owner_id: bob.user_id });
    expect({ status, name: body.name, owner_id: body.owner_id }).toEqual({
      status: 201,
      name: 'Receptionist (copy)',
      owner_id: ada.user_id,
    });
  });

  test("returns 404 for another user's chatbot and writes nothing", async () => {
    const { chatbot_id } = await ada.create();
    const before = await service.db.chatbots.countDocuments();
    expect(outcome(await duplicate(bob, chatbot_id))).toStrictEqual(notFound(service.clock));
    expect(await service.db.chatbots.countDocuments()).toBe(before);
  });
});
