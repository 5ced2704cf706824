import { AppError, failures } from '@gatehouse/shared/http/errors';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { requireServiceKey } from '../../access/service-key.ts';
import { type PublishedEvent, publishedEvent } from '../events.ts';
import type { Accept } from './accept.ts';

/** Events in one call, and bytes: as many as so many events can have. */
const MAX_EVENTS = 500;
const MOST_BYTES = 8 * 1024 * 1024;

const example: PublishedEvent = {
  id: 'conv-started_8421',
  event: 'conversation.started',
  owner_id: 'User-483920',
  timestamp: '2026-01-15T09:30:00.000Z',
  data: {
    conversation_id: 'conv-8421',
    chatbot_id: '01936f2e-7d3c-7a44-8c1e-5b0f3f6a9d21',
    user_id: 'visitor-77',
    started_at: '2026-01-15T09:30:00.000Z',
  },
};

const schema = {
  tags: ['events'],
  security: [{ serviceKey: [] }],
  summary: 'Publish events',
  description: `One event, or an array of up to ${MAX_EVENTS}. The answer comes when they and their deliveries are stored; an id that was accepted before is known and has no further effect, so that whoever got no answer sends again. Of an array with a conflict the other events are taken all the same.`,
  body: z
    .preprocess(
      (body) => (Array.isArray(body) || body === null ? body : [body]),
      z
        .array(publishedEvent, { error: 'must be an event or an array of events' })
        .min(1, { error: 'must contain at least one event' })
        .max(MAX_EVENTS, { error: `must contain at most ${MAX_EVENTS} events` }),
    )
    .meta({ examples: [example, [example]] }),
  response: {
    200: z.object({ accepted: z.array(z.string()), known: z.array(z.string()) }).meta({
      description: 'The ids, by what came of them',
      examples: [{ accepted: [example.id], known: [] }],
    }),
    ...failures(
      'catalogue',
      'noAuthorizationHeader',
      'invalidToken',
      'missingField',
      'invalidFormat',
      'duplicate',
      'unavailable',
    ),
  },
};

/**
 * POST /internal/events: what the platform's services have to tell. The gateway knows no such path, and the key is
 * the services' own, so no user reaches it.
 */
export const publishEvents: FastifyPluginAsyncZod<{
  config: { INTERNAL_API_KEY?: string | undefined };
  accept: Accept;
}> = async (app, { config, accept }) => {
  app.post(
    '/internal/events',
    {
      schema,
      ...requireServiceKey(config),
      bodyLimit: MOST_BYTES,
    },
    async (request) => {
      const results = await Promise.all(
        request.body.map(async (event) => ({ id: event.id, as: await accept(event) })),
      );
      const ids = Object.groupBy(results, ({ as }) => as);
      const of = (as: keyof typeof ids) => (ids[as] ?? []).map(({ id }) => id);
      if (ids.conflict) {
        const text = `Another event has the id ${of('conflict').join(', ')}`;
        throw new AppError('duplicate', { text });
      }
      return { accepted: of('accepted'), known: of('known') };
    },
  );
};
