import { describe, expect, test } from 'vitest';
import { outcome } from '../../fixtures/envelope.ts';
import { rounds } from '../../fixtures/property.ts';
import { malformed, missing, notFound } from '../access/failures.ts';
import { type Person, RECEPTIONIST } from './chatbot-service.ts';
import { ada, bob, service, withChatbots, withPeople } from './with-chatbots.ts';

withChatbots();
withPeople();

const update = (person: Person, chatbot_id: string, body?: unknown) =>
  person.call('PATCH', `/${chatbot_id}`, body);

describe('PATCH /api/v1/chatbots/{chatbot_id}', () => {
  test.each([
    { name: 'Night porter' },
    { type: 'voice' },
    { avatar_id: 'avatar-8' },
    { language: 'pt-BR' },
    { status: 'paused' },
    { name: 'Night porter', type: 'text', avatar_id: 'a', language: 'de', status: 'paused' },
  ])('changes %j and updated_at', async (fields) => {
    const chatbot = await ada.create();
    service.clock.advance(60);
    const changed = { ...chatbot, ...fields, updated_at: new Date(service.clock.now()).toISOString() };
    expect(outcome(await update(ada, chatbot.chatbot_id, fields))).toStrictEqual({
      status: 200,
      body: changed,
    });
    expect(await service.storedChatbot(chatbot.chatbot_id)).toStrictEqual(changed);
  });

  test('reactivates a paused chatbot', async () => {
    const { chatbot_id } = await ada.create();
    await update(ada, chatbot_id, { status: 'paused' });
    expect((await update(ada, chatbot_id, { status: 'active' })).body.status).toBe('active');
  });

  test('ignores unknown and read-only fields', async () => {
    const chatbot = await ada.create();
    const { body } = await update(ada, chatbot.chatbot_id, {
      avatar_id: 'avatar-8',
      chatbot_id: 'mine',
      _id: 'mine',
      owner_id: bob.user_id,
      organization_id: 'org',
      department_id: 'dep',
      created_at: '1970-01-01T00:00:00.000Z',
      updated_at: '1970-01-01T00:00:00.000Z',
      $set: { owner_id: bob.user_id },
      'owner_id.x': 1,
    });
    expect(body).toStrictEqual({ ...chatbot, avatar_id: 'avatar-8' });
    expect(await service.storedChatbot(chatbot.chatbot_id)).toStrictEqual(body);
  });

  const nothing = 'body must contain name, type, avatar_id, language or status';
  test.each([
    [{}, nothing],
    [{ owner_id: 'User-999999' }, nothing],
    [{ name: null }, 'name must be a string'],
    [{ name: '' }, 'name must be a single line of 1 to 200 characters'],
    [{ name: 'x'.repeat(201) }, 'name must be a single line of 1 to 200 characters'],
    [{ name: { $concat: ['$owner_id'] } }, 'name must be a string'],
    [{ type: 'video' }, 'type must be one of 3d, text, voice'],
    [{ language: 'klingon!' }, 'language must be a language tag such as en or pt-BR (BCP 47)'],
    [{ avatar_id: [] }, 'avatar_id must be a string'],
    [{ status: 'deleted' }, 'status must be one of active, paused'],
    [{ status: true }, 'status must be one of active, paused'],
    [{ name: 'Night porter', status: 'ACTIVE' }, 'status must be one of active, paused'],
    [[], 'body must be a JSON object'],
    ['{"name":', expect.any(String)],
    [`{"name":${'['.repeat(100_000)}${']'.repeat(100_000)}}`, 'name must be a string'],
  ])('refuses %j and writes nothing', async (body, details) => {
    const chatbot = await ada.create();
    service.clock.advance(60);
    expect(outcome(await update(ada, chatbot.chatbot_id, body))).toStrictEqual(
      malformed(details, service.clock),
    );
    expect(await service.storedChatbot(chatbot.chatbot_id)).toStrictEqual(chatbot);
  });

  test('requires a body', async () => {
    const { chatbot_id } = await ada.create();
    expect(outcome(await update(ada, chatbot_id))).toStrictEqual(missing('body is required', service.clock));
  });

  test("returns 404 for another user's chatbot and leaves it unchanged", async () => {
    const chatbot = await ada.create();
    expect(outcome(await update(bob, chatbot.chatbot_id, { name: 'Bob was here' }))).toStrictEqual(
      notFound(service.clock),
    );
    expect(await service.storedChatbot(chatbot.chatbot_id)).toStrictEqual(chatbot);
  });

  test('concurrent changes of different fields all apply', async () => {
    for (let round = 0; round < rounds(4); round += 1) {
      const { chatbot_id } = await ada.create();
      await Promise.all([
        update(ada, chatbot_id, { name: 'Night porter' }),
        update(ada, chatbot_id, { status: 'paused' }),
        update(bob, chatbot_id, { language: 'de' }),
      ]);
      expect(await service.storedChatbot(chatbot_id)).toMatchObject({
        ...RECEPTIONIST,
        name: 'Night porter',
        status: 'paused',
      });
    }
  });

  test('an update never restores a chatbot that a concurrent call deletes', async () => {
    for (let round = 0; round < rounds(4); round += 1) {
      const { chatbot_id } = await ada.create();
      const [updated, deleted] = await Promise.all([
        update(ada, chatbot_id, { name: 'Night porter' }),
        ada.call('DELETE', `/${chatbot_id}`),
      ]);
      expect([200, 404]).toContain(updated.status);
      expect(deleted.status).toBe(200);
      expect(await service.storedChatbot(chatbot_id)).toBeNull();
    }
  });
});
