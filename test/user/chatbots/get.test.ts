import { beforeAll, describe, expect, test } from 'vitest';
import { outcome } from '../../fixtures/envelope.ts';
import { notFound, STRANGE_IDS } from '../access/failures.ts';
import type { Person } from './chatbot-service.ts';
import { service, withChatbots } from './with-chatbots.ts';

let ada: Person;
let bob: Person;
withChatbots();
beforeAll(async () => {
  [ada, bob] = await Promise.all([service.newPerson(), service.newPerson()]);
});

describe('GET /api/v1/chatbots/{chatbot_id}', () => {
  test('returns the record', async () => {
    const chatbot = await ada.create();
    expect(outcome(await ada.call('GET', `/${chatbot.chatbot_id}`))).toStrictEqual({
      status: 200,
      body: chatbot,
    });
  });

  test('hides internal fields', async () => {
    const chatbot = await ada.create();
    const { chatbot_id } = chatbot;
    await service.db.chatbots.updateOne({ chatbot_id }, { $set: { secret: 'hidden' } as object });
    expect((await ada.call('GET', `/${chatbot_id}`)).body).toStrictEqual(chatbot);
    expect((await ada.list(`search=${chatbot.name}&limit=1`)).body.data).toStrictEqual([chatbot]);
  });

  test("returns 404 for another user's chatbot", async () => {
    const { chatbot_id } = await ada.create();
    expect(outcome(await bob.call('GET', `/${chatbot_id}`))).toStrictEqual(notFound(service.clock));
  });

  const operations = [
    ['GET', ''],
    ['PATCH', ''],
    ['DELETE', ''],
    ['POST', '/duplicate'],
  ] as const;
  test.each(operations)('%s …%s: returns 404 for an unknown id, however spelled', async (method, rest) => {
    await ada.create();
    const before = await service.db.chatbots.find().toArray();
    const body = method === 'PATCH' ? { name: 'Changed' } : undefined;
    for (const id of STRANGE_IDS)
      expect(outcome(await ada.call(method, `/${id}${rest}`, body)), id.slice(0, 40)).toStrictEqual(
        notFound(service.clock),
      );
    expect(await service.db.chatbots.find().toArray()).toStrictEqual(before);
  });

  test('checks the bearer before the id', async () => {
    for (const [method, rest] of operations) {
      const { status } = await fetch(`${service.url}/api/v1/chatbots/nothing${rest}`, { method });
      expect(status).toBe(401);
    }
  });

  test.each(operations)('%s …%s: refuses an account without a user_id', async (method, rest) => {
    const { chatbot_id } = await ada.create();
    const nameless = await service.newPerson({ user_id: null });
    const body = method === 'PATCH' ? { name: 'Changed' } : undefined;
    expect((await nameless.call(method, `/${chatbot_id}${rest}`, body)).body.error.code).toBe('FORBIDDEN');
    expect((await nameless.list()).status).toBe(403);
  });
});
