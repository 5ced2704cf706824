import { line } from '@gatehouse/shared/http/fields';
import { strictQuery } from '@gatehouse/shared/operation/lists';
import { operation } from '../dependencies.ts';
import {
  PULLED_EXAMPLE,
  presentPulled,
  pulledEvent,
  pulledPage,
  pullParameters,
  readEvents,
} from './read-events.ts';

/** CONTRACT.md §Pulling events. */
export const listEvents = operation('GET /api/v1/events', {
  needs: 'administration',
  summary: 'Pull events',
  description:
    'Lists events in the order in which they were accepted, whether a webhook is subscribed to them or not: those of the caller, or with `department_id` or `organization_id` those of a department, or of an organization with all of its departments. Continue with `next_after`; nothing is skipped, however late an event is stored. Events are kept for the retention time, by default 30 days.',
  query: strictQuery({
    organization_id: line(200).optional(),
    department_id: line(200).optional(),
    ...pullParameters,
  }),
  returns: pulledPage(pulledEvent, PULLED_EXAMPLE),
  fails: ['notFound'],
  async handle({ db, host, caller, query: { organization_id, department_id, ...range }, request }) {
    const isOwn = organization_id === undefined && department_id === undefined;
    const place = isOwn ? null : await host.administeredTenant(request, { organization_id, department_id });
    const readers = place ? (place.department_id ?? place.organization_id) : caller;
    const { events, ...page } = await readEvents(db, { readers }, range);
    // An event of an account can concern a department of another of its organizations.
    const isElsewhere = (event: { organization_id: string | null }) =>
      place !== null && event.organization_id !== place.organization_id;
    const data = events.map((event) =>
      presentPulled(isElsewhere(event) ? { ...event, department_id: null } : event),
    );
    return { data, ...page };
  },
});
