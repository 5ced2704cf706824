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

describe('DELETE /api/v1/chatbots/{chatbot_id}', () => {
  test('deletes that chatbot and no other', async () => {
    const [other, deleted] = [await ada.create(), await ada.create()];
    const path = `/${deleted.chatbot_id}`;
    expect(outcome(await ada.call('DELETE', path))).toStrictEqual({
      status: 200,
      body: { message: 'Chatbot deleted' },
    });
    for (const method of ['GET', 'DELETE'])
      expect(outcome(await ada.call(method, path))).toStrictEqual(notFound(service.clock));
    expect((await ada.list()).body.data).toStrictEqual([other]);
  });

  test("returns 404 for another user's chatbot and keeps it", async () => {
    const chatbot = await ada.create();
    expect(outcome(await bob.call('DELETE', `/${chatbot.chatbot_id}`))).toStrictEqual(
      notFound(service.clock),
    );
    expect(await service.storedChatbot(chatbot.chatbot_id)).toStrictEqual(chatbot);
  });

  test('one of ten concurrent calls succeeds', async () => {
    const { chatbot_id } = await ada.create();
    const answers = await Promise.all(Array.from({ length: 10 }, () => ada.call('DELETE', `/${chatbot_id}`)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(404)]);
  });
});
