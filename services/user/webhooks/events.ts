import { expecting, isoDateTime, line, oneOf } from '@gatehouse/shared/http/fields';
import { z } from 'zod';
import { CHATBOT_TYPES } from '../chatbots/records.ts';

/**
 * The events of webhooks (CONTRACT.md §Events). To add one, add its `data` to EVENT_DATA: registration, publishing and
 * the OpenAPI documents follow.
 */

const id = line(200);
/** In the smallest unit of the currency, for example cents. */
const amount = z.int(expecting('must be an integer')).min(0, { error: 'must be 0 or more' });
const currency = z
  .string(expecting('must be a string'))
  .regex(/^[A-Z]{3}$/, { error: 'must be a currency such as EUR (ISO 4217)' });

/** Rejects unknown fields, which would not be delivered. */
const fields = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z.strictObject(shape, {
    error: ({ code, input }) =>
      code === 'unrecognized_keys'
        ? 'contains an unknown field'
        : input === undefined
          ? 'is required'
          : 'must be a JSON object',
  });

const payment = { payment_id: id, user_id: id, subscription_id: id, amount, currency };

/** The `data` of each event. */
const EVENT_DATA = {
  'chatbot.created': fields({
    chatbot_id: id,
    user_id: id,
    name: id,
    type: oneOf(CHATBOT_TYPES),
    language: id,
    created_at: isoDateTime,
  }),
  'conversation.started': fields({
    conversation_id: id,
    chatbot_id: id,
    user_id: id,
    started_at: isoDateTime,
  }),
  'conversation.ended': fields({
    conversation_id: id,
    chatbot_id: id,
    user_id: id,
    started_at: isoDateTime,
    ended_at: isoDateTime,
  }),
  'payment.succeeded': fields({ ...payment, paid_at: isoDateTime }),
  'payment.failed': fields({ ...payment, reason: id, failed_at: isoDateTime }),
  'subscription.cancelled': fields({
    subscription_id: id,
    user_id: id,
    plan: id,
    cancelled_at: isoDateTime,
    ends_at: isoDateTime,
  }),
} as const;

export type EventName = keyof typeof EVENT_DATA;
export const EVENT_NAMES = Object.keys(EVENT_DATA) as [EventName, ...EventName[]];

/** The body of a delivery: the text that is signed and sent. */
export const payloadOf = (event: string, timestamp: string, data: object): string =>
  JSON.stringify({ event, timestamp, data });

/** Ids appear in a header and in the content that Standard Webhooks signs, where a period is the separator. */
const eventId = z.string(expecting('must be a string')).regex(/^[A-Za-z0-9_:-]{1,128}$/, {
  error: 'must be 1 to 128 letters, digits, _, : and -',
});

const published = <Name extends EventName>(name: Name) =>
  z.object({
    id: eventId.meta({
      description: 'Identifies the event. Use the same id when publishing it again after a failure',
    }),
    organization_id: line(200).exactOptional().meta({
      description:
        'The organization whose webhooks receive the event too; defaults to the place of its chatbot',
    }),
    department_id: line(200).exactOptional().meta({
      description: 'The department, likewise; its organization follows from it',
    }),
    event: z.literal(name),
    owner_id: id.meta({ description: 'The user_id of the account whose webhooks receive the event' }),
    timestamp: isoDateTime
      .exactOptional()
      .meta({ description: 'When it happened; defaults to the time of publishing' }),
    data: EVENT_DATA[name],
  });

type Published = { [Name in EventName]: ReturnType<typeof published<Name>> }[EventName];

/** An event as a platform service publishes it (CONTRACT.md §Publishing events). */
export const publishedEvent = z.discriminatedUnion(
  'event',
  EVENT_NAMES.map(published) as [Published, ...Published[]],
  {
    error: ({ code, input }) =>
      code === 'invalid_union'
        ? (input as { event?: unknown }).event === undefined
          ? 'is required'
          : `must be one of ${EVENT_NAMES.join(', ')}`
        : 'must be a JSON object',
  },
);

export type PublishedEvent = z.infer<typeof publishedEvent>;
