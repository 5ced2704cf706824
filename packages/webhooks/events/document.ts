import { isoDateTime } from '@gatehouse/shared/http/fields';
import { z } from 'zod';
import { EVENTS } from '../events.ts';
import type { EventDefinition } from './definition.ts';

/** The section `webhooks` of the OpenAPI document, from the schemas that validate the events. */
export const eventDocument = (): Record<string, object> =>
  Object.fromEntries(
    Object.entries<EventDefinition>(EVENTS).map(([event, definition]) => [
      event,
      { post: operationOf(event, definition) },
    ]),
  );

const TIMESTAMP = '2026-01-15T09:30:00.000Z';

const header = (name: string, description: string, example: string) => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: { type: 'string' },
  example,
});

const HEADERS = [
  header(
    'X-Service-Signature',
    '`sha256=` and the hex HMAC-SHA256 of the exact body',
    'sha256=5d41402abc4b2a76b9719d911017c592ae4f1c2b8f9d3a6e7c0b1d2e3f405162',
  ),
  header(
    'webhook-id',
    'The id of the event, the same for every attempt and replay',
    '01936f31-2c4b-7b1d-8e52-6a0d4f9c7e13',
  ),
  header('webhook-timestamp', 'When this attempt was sent, in Unix seconds', '1768469400'),
  header(
    'webhook-signature',
    'Standard Webhooks: one `v1,` signature for each secret that is valid, separated by spaces',
    'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  ),
];

const RESPONSES = {
  200: { description: 'The event is received; any 2xx status means this' },
  410: { description: 'Stop sending; the webhook becomes `disabled`' },
};

function operationOf(event: string, { version, summary, data, example }: EventDefinition) {
  const body = z.object({ event: z.literal(event), timestamp: isoDateTime, data });
  return {
    operationId: `on${event.split(/[._]/).map(capitalize).join('')}`,
    tags: ['webhooks'],
    summary,
    description: `Sent to the webhooks that are subscribed to \`${event}\`. \`timestamp\` is when the event happened. Version ${version}: fields may be added, and an incompatible change gets a new name.`,
    'x-event-version': version,
    security: [],
    parameters: HEADERS,
    requestBody: {
      required: true,
      content: {
        'application/json': {
          schema: jsonSchemaOf(body),
          example: { event, timestamp: TIMESTAMP, data: example },
        },
      },
    },
    responses: RESPONSES,
  };
}

const capitalize = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

/** Receivers must ignore unknown fields, since a version may gain some. */
function jsonSchemaOf(schema: z.ZodType): object {
  const { $schema: _, ...document } = z.toJSONSchema(schema, {
    override: ({ jsonSchema }) => {
      delete jsonSchema.additionalProperties;
    },
  });
  return document;
}
