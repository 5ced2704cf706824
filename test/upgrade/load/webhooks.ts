import { createHmac } from 'node:crypto';
import { startReceiver } from '../../fixtures/receiver.ts';
import { conversation } from '../../webhooks/event-samples.ts';
import { expectStatus } from '../caller.ts';
import { eventually } from '../eventually.ts';
import { signIn } from './accounts.ts';
import type { Context, Load } from './load.ts';

const SECRET = 'a secret of the receiver, 32 bytes and more';

/** A platform that publishes events. Each acknowledged one is delivered with the right signature. */
export async function webhooks(context: Context): Promise<Load & { stop(): Promise<unknown> }> {
  const { cluster, call, internalKey } = context;
  const receiver = await startReceiver();
  const owner = await signIn(context, 'webhooks@example.com');
  const json = { url: receiver.url, events: ['conversation.started'], secret: SECRET };
  const { headers } = owner;
  expectStatus(await call(`${cluster.url('gateway')}/api/v1/webhooks/configure`, { headers, json }), 201);
  const published = new Set<string>();
  return {
    async step() {
      const events = Array.from({ length: 5 }, () => conversation(owner.user_id));
      const authorization = `Bearer ${internalKey}`;
      const intake = { headers: { authorization }, json: events };
      expectStatus(await call(`${cluster.url('user')}/internal/events`, intake), 200);
      for (const { id } of events) published.add(String(id));
    },
    async verify() {
      await eventually(() => {
        const ids = new Set(receiver.ids());
        return [...published].every((id) => ids.has(id)) || undefined;
      });
      for (const { headers, body } of receiver.received) {
        const signature = `sha256=${createHmac('sha256', SECRET).update(body).digest('hex')}`;
        if (headers['x-service-signature'] !== signature) throw new Error('a wrong signature');
      }
      const again = receiver.received.length - published.size;
      return `${published.size} events delivered, ${again} of them again`;
    },
    stop: () => receiver.stop(),
  };
}
