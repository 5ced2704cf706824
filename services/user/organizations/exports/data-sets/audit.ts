import type { AuditEvent } from '@gatehouse/shared/identity/audit';
import type { Filter } from 'mongodb';
import { withoutAddresses } from '../../../audit-list.ts';
import { presentToOwners } from '../../present-event.ts';
import { visibleEvents } from '../../visible-events.ts';
import type { DataSet, ExportScope } from '../data-set.ts';
import { following } from './following.ts';

/** The events from before the export was created that its creator may know of. */
const eventsOf = (scope: ExportScope): Filter<AuditEvent> => ({
  ...visibleEvents(scope, new Set(scope.sees)),
  at: { $lt: scope.created_at },
});

/** The audit events of a department, or of an organization with its departments. */
export const auditEvents: DataSet = {
  needs: null,
  uses: ['view users', 'view chatbot', 'view billing', 'ownership'],
  columns: [
    'event_id',
    'at',
    'action',
    'outcome',
    'actor',
    'target',
    'before',
    'after',
    'organization_id',
    'department_id',
    'address',
    'request_id',
    'operator',
  ],
  count: (db, scope) => db.auditEvents.countDocuments(eventsOf(scope)),
  async read(db, scope, after, limit) {
    const found = await db.auditEvents
      .find(
        { $and: [eventsOf(scope), following(['at', 'event_id'], after)] },
        { sort: { at: 1, event_id: 1 }, limit },
      )
      .toArray();
    return found.map((event) => ({
      row: presentTo(scope.sees, event),
      after: { at: event.at, event_id: event.event_id },
    }));
  },
};

/** The event as far as a role may see it: addresses are for Owners of the organization, people for `view users`. */
function presentTo(sees: ExportScope['sees'], event: AuditEvent) {
  const toOwners = presentToOwners(event);
  if (sees.includes('ownership')) return toOwners;
  const shown = withoutAddresses(toOwners);
  if (sees.includes('view users') && sees.includes('view chatbot')) return shown;
  return { ...shown, actor: { user_id: null, email: null }, target: {}, before: null, after: null };
}
