import { isoDateTime, openEnum } from '@gatehouse/shared/http/fields';
import type { AuditEvent } from '@gatehouse/shared/identity/audit';
import { AUDIT_ACTIONS } from '@gatehouse/shared/identity/audit-actions';
import { containsText, listQuery } from '@gatehouse/shared/operation/lists';
import type { Filter } from 'mongodb';
import { z } from 'zod';

const changedFields = z.record(z.string(), z.union([z.string(), z.array(z.string()), z.null()])).nullable();

export const auditRecord = z
  .object({
    event_id: z.string(),
    at: z.string().meta({ format: 'date-time' }),
    action: openEnum(AUDIT_ACTIONS),
    outcome: z.string().meta({ description: '`success`, or why the attempt was refused' }),
    actor: z
      .object({
        user_id: z.string().nullable(),
        email: z.string().nullable(),
        key_id: z.string().exactOptional().meta({ description: 'The machine key that was used' }),
      })
      .meta({
        description:
          'The account that acted, or that a call without a bearer names; nulls for a service of the platform',
      }),
    target: z
      .object({
        user_id: z.string().exactOptional(),
        email: z.string().exactOptional(),
        chatbot_id: z.string().exactOptional(),
        invitation_id: z.string().exactOptional(),
        webhook_id: z.string().exactOptional(),
        session_id: z.string().exactOptional(),
        connection_id: z.string().exactOptional(),
        domain_id: z.string().exactOptional(),
        export_id: z.string().exactOptional(),
        key_id: z.string().exactOptional(),
        service_account_id: z.string().exactOptional(),
      })
      .meta({ description: 'Whom or what the action changed, apart from the actor' }),
    before: changedFields.meta({ description: 'The changed fields, before; never a secret' }),
    after: changedFields.meta({ description: 'The changed fields, after; never a secret' }),
    organization_id: z.string().nullable(),
    department_id: z.string().nullable(),
    address: z.string().nullable().meta({ description: 'The address of the client' }),
    request_id: z.string(),
    operator: z
      .string()
      .exactOptional()
      .meta({ description: 'The user_id of the operator who acted as the actor, in a support session' }),
  })
  .meta({
    description: 'The audit event',
    examples: [
      {
        event_id: '01936f31-2c4b-7b1d-8e52-6a0d4f9c7e13',
        at: '2026-01-15T09:30:00.000Z',
        action: 'member.grant',
        outcome: 'success',
        actor: { user_id: 'User-483920', email: 'ada@example.com' },
        target: { user_id: 'User-720415' },
        before: { role: 'Viewer' },
        after: { role: 'Editor' },
        organization_id: '01936f2e-7d3c-7a44-8c1e-5b0f3f6a9d21',
        department_id: '01936f2f-02b1-7c1f-9a77-3f1d3c0e8b52',
        address: '198.51.100.7',
        request_id: '01936f31-2c4a-7f60-9b1a-0d3e5c7a9f24',
      },
    ],
  });

export const auditTable = {
  sortable: ['at'],
  filters: { action: AUDIT_ACTIONS },
  search: containsText('action'),
  unique: 'event_id',
} as const;

export const auditQuery = listQuery(auditTable).extend({
  from: isoDateTime.optional().meta({ description: 'Events at this time or later' }),
  to: isoDateTime.optional().meta({ description: 'Events before this time' }),
});

/** Matches the events of a period. */
export const within = ({ from, to }: z.infer<typeof auditQuery>): Filter<AuditEvent> =>
  from || to ? { at: { ...(from && { $gte: new Date(from) }), ...(to && { $lt: new Date(to) }) } } : {};

export const presentEvent = ({
  event_id,
  at,
  action,
  outcome,
  user_id,
  email,
  key_id,
  target,
  before,
  after,
  organization_id,
  department_id,
  address,
  request_id,
  operator,
}: AuditEvent): z.infer<typeof auditRecord> => ({
  event_id,
  at: at.toISOString(),
  action,
  outcome,
  actor: { user_id, email, ...(key_id !== undefined && { key_id }) },
  target,
  before,
  after,
  organization_id,
  department_id,
  address,
  request_id,
  ...(operator !== undefined && { operator }),
});

/** The event without the e-mail and network addresses of its actor. */
export const withoutAddresses = ({ actor, ...event }: z.infer<typeof auditRecord>) => ({
  ...event,
  actor: { ...actor, email: null },
  address: null,
});

/** The event without the network address of an operator who acted as its actor. */
export const withoutOperatorAddress = (event: z.infer<typeof auditRecord>) =>
  event.operator === undefined ? event : { ...event, address: null };
