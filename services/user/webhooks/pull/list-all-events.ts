import { failures } from '@gatehouse/shared/http/errors';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { requireServiceKey } from '../../access/service-key.ts';
import type { Database } from '../../database.ts';
import { strictQuery } from '../../lists.ts';
import {
  PULLED_EXAMPLE,
  presentPulled,
  pulledEvent,
  pulledPage,
  pullParameters,
  readEvents,
} from './read-events.ts';

const audience = {
  owner_id: z.string().nullable().meta({ description: 'The account that hears the event' }),
  organization_id: z.string().nullable().meta({ description: 'The organization that hears it' }),
};

const schema = {
  tags: ['events'],
  security: [{ serviceKey: [] }],
  summary: 'Pull all events',
  description:
    'Lists the events of all accounts and organizations in the order in which they were accepted, for services of the platform. Continue with `next_after`; nothing is skipped, however late an event is stored. Events are kept for the retention time, by default 30 days.',
  querystring: strictQuery(pullParameters),
  response: {
    200: pulledPage(pulledEvent.extend(audience), {
      ...PULLED_EXAMPLE,
      owner_id: 'User-483920',
      organization_id: null,
    }),
    ...failures('catalogue', 'noAuthorizationHeader', 'invalidToken', 'invalidFormat', 'unavailable'),
  },
};

/** GET /internal/events (CONTRACT.md §Pulling events). The gateway does not forward this path. */
export const listAllEvents: FastifyPluginAsyncZod<{
  config: { INTERNAL_API_KEY?: string | undefined };
  db: Database;
}> = async (app, { config, db }) => {
  app.get('/internal/events', { schema, ...requireServiceKey(config) }, async (request) => {
    const { events, ...page } = await readEvents(db, {}, request.query);
    const data = events.map((event) => {
      const { owner_id, organization_id } = event;
      return { ...presentPulled(event), owner_id, organization_id };
    });
    return { data, ...page };
  });
};
