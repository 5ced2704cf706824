import { expecting, line, oneOf } from '@gatehouse/shared/http/fields';
import { z } from 'zod';
import { CHATBOT_TYPES } from '../chatbots/records.ts';

/** What webhooks tell of (spec §Events): six events in one envelope, `{event, timestamp, data}`. */

const id = line(200);
/** Kept as it was spelled. */
const moment = z.iso.datetime({
  offset: true,
  ...expecting('must be an ISO 8601 date-time such as 2026-01-15T09:30:00Z'),
});
/** In the smallest unit of the currency, as cents. */
const amount = z.int(expecting('must be an integer')).min(0, { error: 'must be 0 or more' });
const currency = z
  .string(expecting('must be a string'))
  .regex(/^[A-Z]{3}$/, { error: 'must be a currency such as EUR (ISO 4217)' });

/** A field that is not known would reach nobody, so it is refused rather than ignored. */
const fields = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z.strictObject(shape, {
    error: ({ code, input }) =>
      code === 'unrecognized_keys'
        ? 'holds an unknown field'
        : input === undefined
          ? 'is required'
          : 'must be a JSON object',
  });

const payment = { payment_id: id, user_id: id, subscription_id: id, amount, currency };

/** The `data` of each event. That of conversation.started is the specification's; the others are ours. */
export const EVENT_DATA = {
  'chatbot.created': fields({
    chatbot_id: id,
    user_id: id,
    name: id,
    type: oneOf(CHATBOT_TYPES),
    language: id,
    created_at: moment,
  }),
  'conversation.started': fields({ conversation_id: id, chatbot_id: id, user_id: id, started_at: moment }),
  'conversation.ended': fields({
    conversation_id: id,
    chatbot_id: id,
    user_id: id,
    started_at: moment,
    ended_at: moment,
  }),
  'payment.succeeded': fields({ ...payment, paid_at: moment }),
  'payment.failed': fields({ ...payment, reason: id, failed_at: moment }),
  'subscription.cancelled': fields({
    subscription_id: id,
    user_id: id,
    plan: id,
    cancelled_at: moment,
    ends_at: moment,
  }),
} as const;

export type EventName = keyof typeof EVENT_DATA;
export const EVENT_NAMES = Object.keys(EVENT_DATA) as [EventName, ...EventName[]];

/** The text that is signed and sent. */
export const payloadOf = (event: string, timestamp: string, data: object): string =>
  JSON.stringify({ event, timestamp, data });

/** Ids travel in a header and in what Standard Webhooks signs, where a full stop divides. */
const eventId = z.string(expecting('must be a string')).regex(/^[A-Za-z0-9_:-]{1,128}$/, {
  error: 'must be 1 to 128 letters, digits, _, : and -',
});

const published = <Name extends EventName>(name: Name) =>
  z.object({
    id: eventId.meta({ description: 'The same for every try to publish the same event' }),
    event: z.literal(name),
    owner_id: id.meta({ description: 'The user_id of the account whose webhooks hear of it' }),
    timestamp: moment.exactOptional().meta({ description: 'When it happened; when absent, now' }),
    data: EVENT_DATA[name],
  });

/** An event as a service of the platform publishes it. */
export const publishedEvent = z.discriminatedUnion(
  'event',
  [
    published('chatbot.created'),
    published('conversation.started'),
    published('conversation.ended'),
    published('payment.succeeded'),
    published('payment.failed'),
    published('subscription.cancelled'),
  ],
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
