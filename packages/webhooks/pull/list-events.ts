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
    'Lists events in the order in which they were accepted, with or without a subscribed webhook: those of the caller; with `department_id`, those of a department; with `organization_id`, those of an organization and all of its departments. Continue with `next_after`; no event is skipped. Events are kept for the retention time, by default 30 days.',
  query: strictQuery({
    organization_id: line(200).optional(),
    department_id: line(200).optional(),
    ...pullParameters,
  }),
  returns: pulledPage(pulledEvent, PULLED_EXAMPLE),
  fails: ['notFound'],
  async handle({ db, host, caller, query: { organization_id, department_id, ...range }, request }) {
    const isOwn = organization_id === undefined && department_id === undefined;
    const tenant = isOwn ? null : await host.administeredTenant(request, { organization_id, department_id });
    const visible = tenant
      ? { readers: tenant.department_id ?? tenant.organization_id }
      : { readers: caller, organization_id: { $nin: [...(await host.closedTo(request))] } };
    const { events, ...page } = await readEvents(db, visible, range);
    // Hides the department if it is in another organization of the account.
    const isOfAnother = (event: { organization_id: string | null }) =>
      tenant !== null && event.organization_id !== tenant.organization_id;
    const data = events.map((event) =>
      presentPulled(isOfAnother(event) ? { ...event, department_id: null } : event),
    );
    return { data, ...page };
  },
});
