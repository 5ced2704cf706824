import { collection } from '@gatehouse/shared/data/connect';

/**
 * The acts that a second operator approves, and who carries them out afterwards: the approval itself, or the requester
 * by repeating the call, where the answer is a secret of theirs.
 */
export const ACTS = {
  'person.delete': { carriedOutBy: 'the approval' },
  'operator.admin': { carriedOutBy: 'the approval' },
  'support_session.full': { carriedOutBy: 'the requester' },
} as const;

export type Act = keyof typeof ACTS;
export const ACT_NAMES = Object.keys(ACTS) as [Act, ...Act[]];

export const STATUSES = ['pending', 'approved', 'rejected', 'void'] as const;

/** An act that waits for a second operator, or has been decided. */
export interface Approval {
  approval_id: string;
  act: Act;
  /** The `person_id` of the call that asks. */
  person_id: string;
  /** The account concerned; null if it has no user_id. */
  user_id: string | null;
  reason: string;
  requested_by: string;
  requested_at: Date;
  /** The requester as an operator when they asked. A change since makes the approval void. */
  requester: { level: string; added_at: Date; level_since?: Date };
  /** Until when it can be approved, and used by the requester. Compared at use. */
  expires_at: Date;
  /** `void`: the requester was no longer the operator who had asked. An expired approval stays `pending`. */
  status: (typeof STATUSES)[number];
  decided_by?: string;
  decided_at?: Date;
  /** The reason of the operator who decided. */
  decision?: string;
  /** An approved act that is not carried out yet: when a process must look at it; while a lease is held, its end. */
  due_at?: Date;
  holder?: string;
  /** When it was carried out, or used by the requester. */
  carried_out_at?: Date;
  /** Why it can never be carried out. */
  failure?: string;
  /** Names what the requester has made of it; a repeated call gets the same. */
  use_id?: string;
  /** When the TTL index deletes the record. */
  forget_at: Date;
}

/** Hours for which an approval can be given and used. */
export const VALID_HOURS = 24;
/** Days for which a record is kept, as long as audit events are. */
export const KEPT_DAYS = 400;

export const approvalCollections = {
  approvals: collection<Approval>('approvals', [
    { key: { approval_id: 1 }, unique: true },
    { key: { requested_at: 1, approval_id: 1 } },
    { key: { status: 1, requested_at: 1, approval_id: 1 } },
    { key: { person_id: 1, requested_at: 1 } },
    // Approved acts that are not carried out yet.
    { key: { due_at: 1 }, sparse: true },
    { key: { forget_at: 1 }, expireAfterSeconds: 0 },
  ]),
};
