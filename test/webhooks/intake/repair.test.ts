import { createAccept } from '@gatehouse/webhooks/accept';
import type { StoredEvent } from '@gatehouse/webhooks/records';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { createWake } from '../../../packages/webhooks/delivery/wake.ts';
import { payloadOf } from '../../../packages/webhooks/events.ts';
import { openIntakes, reservePositions } from '../../../packages/webhooks/intake/event-log.ts';
import { createRepair } from '../../../packages/webhooks/intake/repair.ts';
import { announceInterrupted } from '../../../services/user/chatbots/announce.ts';
import type { Chatbot } from '../../../services/user/chatbots/records.ts';
import { postJson } from '../../fixtures/http.ts';
import { member } from '../../fixtures/members.ts';
import { conversation } from '../event-samples.ts';
import { hostOf } from '../host.ts';
import { SECRET } from '../webhook-service.ts';
import { ada, receiver, service, withAda, withWebhooks } from '../with-webhooks.ts';

withWebhooks();
withAda();

/** Repairs as another process would; the worker of the service finds the queues by polling. */
let repairNow: () => Promise<void>;
beforeEach(() => {
  const { db, clock } = service;
  const worker = { reload: () => {}, readMore: () => {} };
  const deps = { db, host: hostOf(db), now: clock.now, ...createWake({ db, now: clock.now, worker }) };
  const repair = createRepair(deps);
  repairNow = async () => {
    await repair();
    await announceInterrupted({ db, now: clock.now, accept: createAccept(deps) });
  };
});

describe('an event whose intake was interrupted before its deliveries existed', () => {
  /** A webhook and a stored event without its delivery. */
  const interrupted = async () => {
    const webhook_id = await ada.configure({ url: receiver.url });
    const event = conversation(ada.user_id);
    await service.publish(event);
    await service.settled(webhook_id, 'delivered');
    await service.db.webhookDeliveries.deleteMany({ webhook_id });
    // The state after a kill: the intake is open, and it has also reserved a position for an event never stored.
    const { first } = await reservePositions(service.db, event.id, 2);
    await service.db.events.updateOne({ _id: event.id }, { $set: { position: first } });
    receiver.received.length = 0;
    return { webhook_id, event, first };
  };

  test('is delivered when it is published again', async () => {
    const { webhook_id, event } = await interrupted();
    expect((await service.publish(event)).body).toStrictEqual({ accepted: [], known: [event.id] });
    await service.settled(webhook_id, 'delivered');
    expect(receiver.ids()).toEqual([event.id]);
  });

  test('is delivered by repair once the intake is stale', async () => {
    const { webhook_id, event } = await interrupted();
    await repairNow();
    expect(await service.db.webhookDeliveries.countDocuments({ webhook_id })).toBe(0);
    service.clock.advance(10);
    await Promise.all([repairNow(), repairNow()]);
    await service.settled(webhook_id, 'delivered');
    expect(receiver.ids()).toEqual([event.id]);
    expect((await openIntakes(service.db)).map(({ id }) => id)).not.toContain(event.id);
  });

  test('cannot be stored once its intake is repaired, and is delivered when it is published again', async () => {
    const { webhook_id, event } = await interrupted();
    const stored = (await service.db.events.findOneAndDelete({ _id: event.id })) as StoredEvent;
    await repairNow();
    service.clock.advance(10);
    await repairNow();
    await expect(service.db.events.insertOne(stored)).rejects.toThrow('E11000');
    expect((await service.publish(event)).body).toStrictEqual({ accepted: [event.id], known: [] });
    await service.settled(webhook_id, 'delivered');
    expect(receiver.ids()).toEqual([event.id]);
  });

  test('is refused with 503 while it is being stored, and accepted when it is published again', async () => {
    const webhook_id = await ada.configure({ url: receiver.url });
    const { db } = service;
    const event = conversation(ada.user_id);
    const insertMany = vi.spyOn(db.events, 'insertMany');
    insertMany.mockImplementationOnce(async (...args) => {
      await repairNow();
      service.clock.advance(10);
      await repairNow();
      return db.events.insertMany(...args);
    });
    expect((await service.publish(event)).status).toBe(503);
    insertMany.mockRestore();
    expect((await service.publish(event)).body).toStrictEqual({ accepted: [event.id], known: [] });
    await service.settled(webhook_id, 'delivered');
    expect(receiver.ids()).toEqual([event.id]);
  });

  test('is not delivered to a webhook configured after it', async () => {
    const { event } = await interrupted();
    await repairNow();
    service.clock.advance(10);
    const younger = await ada.configure({ url: receiver.url });
    await service.publish(event);
    await repairNow();
    expect(await service.db.webhookDeliveries.countDocuments({ webhook_id: younger })).toBe(0);
  });
});

describe('chatbot.created', () => {
  const RECEPTIONIST = { name: 'Receptionist', type: '3d', avatar_id: 'avatar-7', language: 'en-GB' };
  const chatbot = async () => {
    const { authorization, user_id } = await member(service.db, service.clock);
    const headers = { authorization };
    const hook = { url: receiver.url, events: ['chatbot.created'], secret: SECRET };
    const { body: webhook } = await postJson(`${service.user}/api/v1/webhooks/configure`, hook, headers);
    const { body } = await postJson(`${service.user}/api/v1/chatbots/create`, RECEPTIONIST, headers);
    return { created: body as Chatbot, webhook_id: webhook.webhook_id as string, user_id, headers };
  };
  const payload = ({ chatbot_id, owner_id, name, type, language, created_at }: Chatbot) =>
    payloadOf('chatbot.created', created_at, {
      chatbot_id,
      user_id: owner_id,
      name,
      type,
      language,
      created_at,
    });

  test('is published for a new chatbot and for a copy, and clears their pending flag', async () => {
    const { created, webhook_id, headers } = await chatbot();
    const path = `${service.user}/api/v1/chatbots/${created.chatbot_id}/duplicate`;
    const { body: copy } = await postJson(path, {}, headers);
    await service.settled(webhook_id, 'delivered');
    expect(receiver.received.map(({ body }) => body)).toStrictEqual([payload(created), payload(copy)]);
    expect(receiver.ids()[0]).toBe(`chatbot-created_${created.chatbot_id}`);
    for (const bot of [created, copy]) {
      const stored = await service.db.chatbots.findOne({ chatbot_id: bot.chatbot_id });
      expect(stored).toMatchObject(bot);
      expect(stored).not.toHaveProperty('unannounced');
    }
  });

  test('is published once by repair after a kill between chatbot and event', async () => {
    const { created, webhook_id } = await chatbot();
    await service.settled(webhook_id, 'delivered');
    const { chatbot_id } = created;
    // The state after a kill that follows the insertion of the chatbot.
    await service.db.events.deleteOne({ _id: `chatbot-created_${chatbot_id}` });
    await service.db.webhookDeliveries.deleteMany({ webhook_id });
    await service.db.chatbots.updateOne({ chatbot_id }, { $set: { unannounced: true } as object });
    service.clock.advance(10);
    await Promise.all([repairNow(), repairNow()]);
    await service.settled(webhook_id, 'delivered');
    expect(receiver.received.map(({ body }) => body)).toStrictEqual([payload(created), payload(created)]);
    expect(await service.db.chatbots.findOne({ chatbot_id })).not.toHaveProperty('unannounced');
  });
});
