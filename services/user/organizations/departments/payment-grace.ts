import type { Department, PaymentReport } from '../records.ts';

const DAY = 86_400_000;
/** Days for which a failed payment leaves the plan its single sign-on. */
export const GRACE_DAYS = 14;
/** The days of a grace on which the Owners are told, counted from 1. */
const NOTICE_DAYS = [1, 7, 13];

type Grace = NonNullable<Department['payment_grace']>;

const startOf = (day: number, began_at: Date) => new Date(began_at.getTime() + (day - 1) * DAY);

/** The notice that comes after one, if there is another. */
export function noticeAfter(day: number, began_at: Date): Grace['notice'] {
  const next = NOTICE_DAYS.find((each) => each > day);
  return next === undefined ? undefined : { day: next, due: startOf(next, began_at) };
}

/** The notice that a time calls for: a process that was down sends only the latest. @param now Unix milliseconds. */
export const noticeDay = (began_at: Date, now: number): number =>
  NOTICE_DAYS.findLast((day) => startOf(day, began_at).getTime() <= now) ?? 1;

/**
 * Fields for the `$set` of a payment report. A grace begins when the payment of an Enterprise plan fails that was paid,
 * and ends with the next payment that succeeds; repeated failures do not prolong it.
 * @param now Unix milliseconds.
 */
export function graceAfter(payment_status: PaymentReport['payment_status'], now: number) {
  if (payment_status === 'paid') return { payment_grace: '$$REMOVE' };
  if (payment_status !== 'failed') return {};
  const began_at = new Date(now);
  const begun: Grace = {
    began_at,
    ends_at: new Date(now + GRACE_DAYS * DAY),
    notice: { day: 1, due: began_at },
  };
  const wasPaid = {
    $and: [
      { $eq: ['$billing.payment_status', 'paid'] },
      { $eq: ['$billing.subscription_plan', 'Enterprise'] },
    ],
  };
  return { payment_grace: { $cond: [wasPaid, begun, '$payment_grace'] } };
}
