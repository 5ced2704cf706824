import type { AuditEvent } from '@gatehouse/shared/identity/audit';
import {
  commitmentsOf,
  filledParts,
  fixedDigest,
  PERSONAL_PARTS,
} from '@gatehouse/shared/identity/audit-chain/commitments';
import type { AuditLink } from '@gatehouse/shared/identity/audit-chain/records';
import type { LawfulChanges } from './lawful.ts';

const PART_NAMES = {
  actor: 'the e-mail address, network address or session of its actor',
  target: 'the e-mail address of its target',
  change: 'its changed fields (before and after)',
} as const;

/** What has become of an event since it was linked. */
export interface Comparison {
  /** In words; empty for an event that is as it was. */
  changes: string[];
  isErased: boolean;
}

/** @param deleted accounts whose deletion is in the audit. */
export async function compareEvent(
  entry: AuditLink,
  event: AuditEvent,
  lawful: LawfulChanges,
  deleted: ReadonlySet<string>,
): Promise<Comparison> {
  const changes: string[] = [];
  if (!(await isSame(entry, event, lawful, deleted))) changes.push(nameOfChange(entry, event));
  const filled = filledParts(event);
  const commitments = commitmentsOf(event);
  let isErased = false;
  for (const part of PERSONAL_PARTS) {
    const committed = entry.personal[part];
    if (commitments[part] === committed && (committed !== null || !filled.includes(part))) continue;
    const isGone = !filled.includes(part) && event.salts?.[part] === undefined;
    if (isGone && (await lawful.isErasure(event, part, deleted))) isErased = true;
    else changes.push(isGone ? `${PART_NAMES[part]} is gone, and no account was deleted` : PART_NAMES[part]);
  }
  return { changes, isErased };
}

/** Whether the fields that stay are the same, apart from a `user_id` that turned out later. */
async function isSame(
  { fixed }: AuditLink,
  event: AuditEvent,
  lawful: LawfulChanges,
  deleted: ReadonlySet<string>,
): Promise<boolean> {
  if (fixedDigest(event) === fixed) return true;
  const { user_id, organization_id } = event;
  if (user_id === null || organization_id !== null) return false;
  if (fixedDigest({ ...event, user_id: null } as AuditEvent) !== fixed) return false;
  return deleted.has(user_id) || lawful.hadAddress(event);
}

/** Names the field, where the chain has its value. */
function nameOfChange(entry: AuditLink, event: AuditEvent): string {
  if (event.event_id !== entry.event_id) return `its id, which is now ${event.event_id}`;
  if (event.action !== entry.action) return `its action, which is now ${event.action}`;
  if (!(event.at instanceof Date) || event.at.getTime() !== entry.at.getTime())
    return `its time, which is now ${event.at instanceof Date ? event.at.toISOString() : event.at}`;
  if (fixedDigest({ ...event, user_id: null } as AuditEvent) === entry.fixed)
    return `its account, which is now ${event.user_id}`;
  return 'its outcome, account, target, organization, department or request';
}
