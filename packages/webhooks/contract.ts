import { tenantOf } from '@gatehouse/shared/access/tenant';
import { expecting, line, oneOf, openEnum } from '@gatehouse/shared/http/fields';
import { z } from 'zod';
import { EVENT_NAMES } from './events.ts';
import { HEALTH_EXAMPLE, healthRecord, presentHealth } from './history/present-health.ts';
import { WEBHOOK_STATUSES, type Webhook } from './records.ts';
import { MASKED, maskedHeaders } from './registration/headers.ts';

/** Stored exactly as given. */
export const secretText = z
  .string(expecting('must be a string'))
  .refine((text) => /^[^\p{Cc}\p{Cs}]{8,256}$/u.test(text), {
    error: 'must be 8 to 256 characters without control characters',
  })
  .meta({
    minLength: 8,
    maxLength: 256,
    description:
      '8 to 256 characters, none of them a control character (U+0000 to U+001F and U+007F to U+009F) or an unpaired surrogate. Used exactly as given',
  });

/** Chatbots in the filter of one webhook. */
const MAX_CHATBOTS = 100;

/** The fields that a caller sets, except the headers. */
export const settings = {
  url: z
    .string(expecting('must be a string'))
    .min(1, { error: 'is required' })
    .max(2_048, { error: 'must be at most 2048 characters' })
    .meta({ format: 'uri' }),
  events: z
    .array(oneOf(EVENT_NAMES), expecting('must be an array of event names'))
    .min(1, { error: 'must contain at least one event' })
    .max(EVENT_NAMES.length, { error: 'must not repeat an event' }),
  name: line(200).nullable().meta({ description: 'For people; null for none' }),
  description: line(1_000).nullable().meta({ description: 'For people; null for none' }),
  chatbot_ids: z
    .array(line(200), expecting('must be an array of chatbot ids'))
    .max(MAX_CHATBOTS, { error: `must contain at most ${MAX_CHATBOTS} chatbots` })
    .meta({
      description:
        'Receive only events of these chatbots; empty for all events, including those without a chatbot. A change applies to later events',
    }),
};

const dateTime = z.string().meta({ format: 'date-time' });

/** A webhook as its managers see it. The secret and the values of headers are never returned. */
export const webhookRecord = z
  .object({
    webhook_id: z.string(),
    owner_id: z
      .string()
      .nullable()
      .meta({ description: 'The account; null for the webhook of an organization or department' }),
    organization_id: z.string().nullable(),
    department_id: z.string().nullable(),
    created_by: z.string().nullable().meta({ description: 'The account that configured it' }),
    name: z.string().nullable(),
    description: z.string().nullable(),
    url: z.string(),
    events: z.array(openEnum(EVENT_NAMES)),
    chatbot_ids: z.array(z.string()).meta({ description: 'Empty for every event' }),
    headers: z
      .record(z.string(), z.string())
      .meta({ description: 'The custom headers; every value is masked' }),
    status: z.enum(WEBHOOK_STATUSES),
    created_at: dateTime,
    updated_at: dateTime,
    previous_secret_until: dateTime
      .nullable()
      .meta({ description: 'Until then, the previous secret also signs' }),
    health: healthRecord,
  })
  .meta({
    description: 'The webhook',
    examples: [
      {
        webhook_id: '01936f2e-7d3c-7a44-8c1e-5b0f3f6a9d21',
        owner_id: null,
        organization_id: '01936f2e-7d3c-7a44-8c1e-5b0f3f6a9d21',
        department_id: '01936f2f-02b1-7c1f-9a77-3f1d3c0e8b52',
        created_by: 'User-483920',
        name: 'Helpdesk',
        description: null,
        url: 'https://app.example.com/hooks',
        events: ['conversation.started', 'payment.failed'],
        chatbot_ids: [],
        headers: { Authorization: MASKED },
        status: 'active',
        created_at: '2026-01-15T09:30:00.000Z',
        updated_at: '2026-01-15T09:30:00.000Z',
        previous_secret_until: null,
        health: HEALTH_EXAMPLE,
      },
    ],
  });

export const presentWebhook = (webhook: Webhook, now: number): z.infer<typeof webhookRecord> => {
  const [previous] = webhook.previous_secrets.filter(({ until }) => until.getTime() > now);
  return {
    webhook_id: webhook.webhook_id,
    owner_id: webhook.owner_id,
    ...tenantOf(webhook),
    created_by: webhook.created_by ?? webhook.owner_id,
    name: webhook.name ?? null,
    description: webhook.description ?? null,
    url: webhook.url,
    events: webhook.events,
    chatbot_ids: webhook.chatbot_ids ?? [],
    headers: maskedHeaders(webhook),
    status: webhook.status,
    created_at: webhook.created_at.toISOString(),
    updated_at: webhook.updated_at.toISOString(),
    previous_secret_until: previous?.until.toISOString() ?? null,
    health: presentHealth(webhook),
  };
};
