import type { AuditEvent } from '@gatehouse/shared/identity/audit';
import { presentEvent, withoutAddresses } from '../audit-list.ts';

/** The event as the Owners of its organization may see it. */
export function presentToOwners(event: AuditEvent) {
  const shown = presentEvent(event);
  const isOwn = event.target.user_id === event.user_id;
  // Strangers can be added without their consent. Joining or leaving must not reveal their addresses.
  const joinsOrLeaves = isOwn && (event.action === 'invitation.accept' || event.after === null);
  // Another organization has proved control of the domain.
  const isTaken = event.action === 'domain.update' && event.user_id === null;
  return joinsOrLeaves || isTaken ? withoutAddresses(shown) : shown;
}
