import { isoDateTime, line, oneOf } from '@gatehouse/shared/http/fields';
import type { AuditEvent } from '@gatehouse/shared/identity/audit';
import { AUDIT_ACTIONS } from '@gatehouse/shared/identity/audit-actions';
import { emailKey, MAX_ADDRESS } from '@gatehouse/shared/identity/email';
import { listQuery } from '@gatehouse/shared/operation/lists';
import type { Filter } from 'mongodb';
import type { z } from 'zod';

/** Days for which audit events are kept. */
export const KEPT_DAYS = 400;

const DAY = 86_400_000;

export const FORMATS = ['json', 'csv', 'jsonl'] as const;

export const table = {
  sortable: ['at'],
  filters: {
    action: AUDIT_ACTIONS,
    outcome: null,
    organization_id: null,
    department_id: null,
    address: null,
    request_id: null,
  },
  // A list of actions can use the index, a pattern cannot.
  search: (text: string) => ({
    action: { $in: AUDIT_ACTIONS.filter((action) => action.includes(text.toLowerCase())) },
  }),
  unique: 'event_id',
  maxCount: 10_000,
} as const;

const account = line(MAX_ADDRESS).optional();

export const query = listQuery(table).extend({
  actor: account.meta({ description: 'The account that acted: its user_id or e-mail address' }),
  target: account.meta({ description: 'The account that the action changed: its user_id or e-mail address' }),
  from: isoDateTime.optional().meta({ description: 'Events at this time or later' }),
  to: isoDateTime.optional().meta({ description: 'Events before this time; by default now' }),
  format: oneOf(FORMATS).optional(),
});

export type AuditQuery = z.infer<typeof query>;

/** The period of a query in Unix milliseconds, within the days for which events are kept. */
export const periodOf = ({ from, to }: AuditQuery, now: number) => ({
  from: Math.max(from === undefined ? 0 : Date.parse(from), now - (KEPT_DAYS + 1) * DAY),
  // The clock of the process that stored an event may be ahead.
  to: Math.min(to === undefined ? now : Date.parse(to), now + DAY),
});

/** Matches the accounts that a query names; each of the four fields has an index with the time. */
export function accountsOf({ actor, target }: AuditQuery): Filter<AuditEvent> {
  return {
    ...(actor !== undefined && (isAddress(actor) ? { email: emailKey(actor) } : { user_id: actor })),
    ...(target !== undefined &&
      (isAddress(target) ? { 'target.email': emailKey(target) } : { 'target.user_id': target })),
  };
}

const isAddress = (text: string): boolean => text.includes('@');
