import { strictQuery } from '@gatehouse/shared/operation/lists';
import { z } from 'zod';
import { operation } from '../dependencies.ts';
import {
  PULLED_EXAMPLE,
  presentPulled,
  pulledEvent,
  pulledPage,
  pullParameters,
  readEvents,
} from './read-events.ts';

const audience = {
  owner_id: z.string().nullable().meta({ description: 'The account that receives the event' }),
  organization_id: z.string().nullable().meta({ description: 'The organization that receives it' }),
};

/** CONTRACT.md §Pulling events. The gateway does not forward this path. */
export const listAllEvents = operation('GET /internal/events', {
  needs: 'service key',
  summary: 'Pull all events',
  description:
    'Lists the events of all accounts and organizations in the order in which they were accepted, for services of the platform. Continue with `next_after`; no event is skipped. Events are kept for the retention time, by default 30 days.',
  query: strictQuery(pullParameters),
  returns: pulledPage(pulledEvent.extend(audience), {
    ...PULLED_EXAMPLE,
    owner_id: 'User-483920',
    organization_id: null,
  }),
  fails: ['invalidFormat'],
  async handle({ db, query }) {
    const { events, ...page } = await readEvents(db, {}, query);
    const data = events.map((event) => {
      const { owner_id, organization_id } = event;
      return { ...presentPulled(event), owner_id, organization_id };
    });
    return { data, ...page };
  },
});
