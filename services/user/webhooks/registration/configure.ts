import { randomUUIDv7 } from 'node:crypto';
import { isDuplicateKey } from '@gatehouse/shared/data/connect';
import { AppError, BEARER_FAILURES, failures } from '@gatehouse/shared/http/errors';
import { jsonBody } from '@gatehouse/shared/http/fields';
import { audit } from '@gatehouse/shared/identity/audit';
import { callerId } from '@gatehouse/shared/identity/principal';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { Database } from '../../database.ts';
import { auditedWebhook, config, operation, secretText, settings } from '../contract.ts';
import type { WebhookOptions } from '../options.ts';
import type { Webhook } from '../records.ts';

/** For one account. */
const MAX_WEBHOOKS = 20;

const schema = {
  ...operation,
  summary: 'Configure a webhook',
  description: `The webhook is active at once and receives events from now on. Its host must have public addresses only, and its port must be one that the operator allows, by default 80, 443 or 8000 to 9999. The secret signs every delivery and is never returned. An account may have up to ${MAX_WEBHOOKS} webhooks.`,
  body: jsonBody({ ...settings, secret: secretText }).meta({
    examples: [
      {
        url: 'https://app.example.com/hooks',
        events: ['conversation.started', 'payment.failed'],
        secret: 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD',
      },
    ],
  }),
  response: {
    201: z
      .object({
        webhook_id: z.string(),
        status: z.literal('active'),
        created_at: z.string().meta({ format: 'date-time' }),
      })
      .meta({
        description: 'The webhook is configured',
        examples: [
          {
            webhook_id: '01936f2e-7d3c-7a44-8c1e-5b0f3f6a9d21',
            status: 'active',
            created_at: '2026-01-15T09:30:00.000Z',
          },
        ],
      }),
    ...failures('catalogue', 'missingField', 'invalidFormat', ...BEARER_FAILURES),
  },
};

/** POST /api/v1/webhooks/configure (CONTRACT.md §Webhook registration). */
export const configureWebhook: FastifyPluginAsyncZod<WebhookOptions> = async (
  app,
  { db, now, secrets, validateReceiverUrl },
) => {
  app.post('/api/v1/webhooks/configure', { schema, config }, async (request, reply) => {
    const { url, events, secret } = request.body;
    const owner_id = callerId(request);
    await validateReceiverUrl(url);
    const at = new Date(now());
    const webhook_id = randomUUIDv7();
    const configured = { url, events: [...new Set(events)], status: 'active' as const };
    await insertWithinLimit(db, {
      webhook_id,
      owner_id,
      ...configured,
      secret: secrets.seal(secret, webhook_id),
      previous_secrets: [],
      created_at: at,
      updated_at: at,
      due_at: null,
      lease: null,
      held_until: null,
      wakes: 0,
    });
    await audit(db, request, now(), {
      action: 'webhook.create',
      target: { webhook_id },
      after: auditedWebhook(configured),
    });
    return reply.code(201).send({ webhook_id, status: 'active', created_at: at.toISOString() });
  });
};

/** Takes a free slot of the owner. The unique index enforces the limit under concurrent calls. */
async function insertWithinLimit(db: Database, webhook: Omit<Webhook, 'slot'>): Promise<void> {
  const { owner_id } = webhook;
  for (;;) {
    const taken = await db.webhooks.find({ owner_id }, { projection: { slot: 1 } }).toArray();
    const slots = new Set(taken.map(({ slot }) => slot));
    const slot = Array.from({ length: MAX_WEBHOOKS }, (_, index) => index).find((index) => !slots.has(index));
    if (slot === undefined)
      throw new AppError('forbidden', { text: `An account may have at most ${MAX_WEBHOOKS} webhooks` });
    try {
      await db.webhooks.insertOne({ ...webhook, slot });
      return;
    } catch (error) {
      if (!isDuplicateKey(error, 'slot')) throw error; // a concurrent call took the slot
    }
  }
}
