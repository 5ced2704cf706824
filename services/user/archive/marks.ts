import { appended } from '../organizations/departments/billing-entries.ts';
import { ARCHIVED_DAYS } from '../organizations/records.ts';

/** Updates and filters for archiving and restoring. */

export const ARCHIVED = { archived_at: { $exists: true } };
export const NOT_ARCHIVED = { archived_at: { $exists: false } };

/** The marks of an archived place, which is deleted when the job is due. */
export function archive(archived_by: string, now: number) {
  const due_at = new Date(now + ARCHIVED_DAYS * 86_400_000);
  return { archived_at: new Date(now).toISOString(), deletes_at: due_at.toISOString(), archived_by, due_at };
}

/** `$unset` of every mark. A run that holds the lease of the place finds it lost, and stops. */
export const NO_MARKS = {
  archived_at: true,
  deletes_at: true,
  archived_by: true,
  move_to: true,
  due_at: true,
  lease: true,
} as const;

/**
 * The first stage of a pipeline for a department whose billing begins again, unpaid. A department that is pending gets no
 * entry: repeated restores must not fill its outbox.
 */
export function renewBilling(changed_by: string, now: number) {
  const at = new Date(now).toISOString();
  const payment_status = 'pending';
  const isChange = { $ne: ['$billing.payment_status', payment_status] };
  return {
    $set: {
      ...appended({ kind: 'plan', at, payment_status, changed_by }, isChange),
      'billing.payment_status': payment_status,
      'billing.subscription_date': at.slice(0, 10),
      'billing.updated_at': at,
    },
  };
}
