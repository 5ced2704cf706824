import { expecting, isoDateTime, line } from '@gatehouse/shared/http/fields';
import { z } from 'zod';
import { OWN_EVENTS } from './events/own.ts';
import { PLATFORM_EVENTS } from './events/platform.ts';

/**
 * The events of webhooks (CONTRACT.md §Events). To add one, define it in events/: registration, test deliveries and
 * the OpenAPI documents follow, and publishing if it is an event of the platform.
 */
export const EVENTS = { ...PLATFORM_EVENTS, ...OWN_EVENTS } as const;

export type EventName = keyof typeof EVENTS;
export const EVENT_NAMES = Object.keys(EVENTS) as [EventName, ...EventName[]];

export type OwnEventName = keyof typeof OWN_EVENTS;
export type PlatformEventName = keyof typeof PLATFORM_EVENTS;
export const PLATFORM_EVENT_NAMES = Object.keys(PLATFORM_EVENTS) as [
  PlatformEventName,
  ...PlatformEventName[],
];

export type EventData<Name extends EventName> = z.infer<(typeof EVENTS)[Name]['data']>;

/** The body of a delivery: the text that is signed and sent. */
export const payloadOf = (event: string, timestamp: string, data: object): string =>
  JSON.stringify({ event, timestamp, data });

/** Ids appear in a header and in the content that Standard Webhooks signs, where a period is the separator. */
const eventId = z.string(expecting('must be a string')).regex(/^[A-Za-z0-9_:-]{1,128}$/, {
  error: 'must be 1 to 128 letters, digits, _, : and -',
});

const published = <Name extends PlatformEventName>(name: Name) =>
  z.object({
    id: eventId.meta({
      description: 'Identifies the event. Use the same id when publishing it again after a failure',
    }),
    organization_id: line(200).exactOptional().meta({
      description:
        'The organization whose webhooks also receive the event. Ignored if the chatbot of the event is stored: then its own organization applies',
    }),
    department_id: line(200).exactOptional().meta({
      description:
        'The department whose webhooks also receive the event, with those of its organization. Ignored if the chatbot of the event is stored',
    }),
    event: z.literal(name),
    owner_id: line(200).meta({ description: 'The user_id of the account whose webhooks receive the event' }),
    timestamp: isoDateTime
      .exactOptional()
      .meta({ description: 'When the event happened; defaults to the time of publishing' }),
    data: PLATFORM_EVENTS[name].data,
  });

type Published = { [Name in PlatformEventName]: ReturnType<typeof published<Name>> }[PlatformEventName];

/**
 * An event as a platform service publishes it (CONTRACT.md §Publishing events). Only this service can publish its own
 * events, for example that an account was created.
 */
export const publishedEvent = z.discriminatedUnion(
  'event',
  PLATFORM_EVENT_NAMES.map(published) as [Published, ...Published[]],
  {
    error: ({ code, input }) =>
      code === 'invalid_union'
        ? (input as { event?: unknown }).event === undefined
          ? 'is required'
          : `must be one of ${PLATFORM_EVENT_NAMES.join(', ')}`
        : 'must be a JSON object',
  },
);

export type PublishedEvent = z.infer<typeof publishedEvent>;
