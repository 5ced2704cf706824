import type { AuditEvent } from '@gatehouse/shared/identity/audit';
import type { Filter } from 'mongodb';
import { presentEvent, withoutAddresses, withoutOperatorAddress } from '../audit-list.ts';

/** The events of an accepted invitation, whose actor is the invitee. */
const ACCEPTED: ReadonlySet<AuditEvent['action']> = new Set([
  'invitation.accept',
  'owner.add',
  'owner.remove',
]);

/** Matches events whose actor may be shown: an invitation to an address must not tell whose account it is. */
export const actorShown = { action: { $ne: 'invitation.decline' } } as const satisfies Filter<AuditEvent>;

/** The event as the Owners of its organization may see it. */
export function presentToOwners(event: AuditEvent) {
  const shown = withoutOperatorAddress(presentEvent(event));
  if (event.action === actorShown.action.$ne) {
    return { ...shown, actor: { user_id: null, email: null }, address: null };
  }
  // An invitation by user_id tells no address, so joining or leaving must not reveal it.
  const isAccepted = ACCEPTED.has(event.action) && event.target.invitation_id !== undefined;
  const isLeft = event.target.user_id === event.user_id && event.after === null;
  // Another organization has proved control of the domain.
  const isTaken = event.action === 'domain.update' && event.user_id === null;
  // The Owners learn which operator it was, not where they are.
  const isByOperator = event.action.startsWith('admin.') || event.after?.by === 'operator';
  return isAccepted || isLeft || isTaken || isByOperator ? withoutAddresses(shown) : shown;
}
