import { jsonBody, line } from '@gatehouse/shared/http/fields';
import type { AuditEvent, Details } from '@gatehouse/shared/identity/audit';
import type { z } from 'zod';

const REASON = 'Lost phone, identity checked by video call';

/** The body of a change by an operator. */
export const withReason = <Shape extends z.ZodRawShape>(shape: Shape, example: object = {}) =>
  jsonBody({
    ...shape,
    reason: line(500)
      .min(3, { error: 'must have 3 characters or more' })
      .meta({ description: 'Why; the person or organization concerned can read it in their audit' }),
  }).meta({ examples: [{ ...example, reason: REASON }] });

/** Records an action of an operator together with the reason in the body. Call it after the action's own write. */
export const auditAdmin = <Action extends AuditEvent['action']>(
  {
    audit,
    body: { reason },
  }: {
    audit: (action: Action, details?: Omit<Details, 'action'>) => Promise<void>;
    body: { reason: string };
  },
  action: Action,
  { after, ...details }: Omit<Details, 'action'> = {},
): Promise<void> => audit(action, { ...details, after: { ...after, reason } });
