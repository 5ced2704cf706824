import type { AuditEvent } from '@gatehouse/shared/identity/audit';
import { type AuditLink, dayName } from '@gatehouse/shared/identity/audit-chain/records';
import { presentEvent } from '../../audit-list.ts';

/** An event as a collector gets it, with its place in the chain. */
export interface StreamedEvent {
  event_id: string;
  at: string;
  action: string;
  /** Null for an event that was removed before it was sent. */
  event: ReturnType<typeof presentEvent> | null;
  chain: { position: number; day: string; link: string };
}

export const streamedEvent = (
  { _id: position, day, link, event_id, action, at }: AuditLink,
  event: AuditEvent | undefined,
): StreamedEvent => ({
  event_id,
  at: at.toISOString(),
  action,
  event: event ? presentEvent(event) : null,
  chain: { position, day: dayName(day), link },
});
