import { AppError } from '@gatehouse/shared/http/errors';
import { z } from 'zod';
import { resetFactor } from '../../factors/request-reset.ts';
import { operation } from '../operation.ts';
import { auditAdmin, withReason } from '../reason.ts';
import { personToChange, targetOf } from './change-person.ts';

export const resetPersonFactor = operation('POST /api/v1/admin/people/{person_id}/reset-factor', {
  needs: 'support operator',
  fresh: true,
  summary: 'Reset the second factor of a person',
  description:
    'For a person who has lost the device and the recovery codes. The second factor ends a day later; they are told by mail at once, and cancel it by using a code before. A repeated call answers the date of the first.',
  body: withReason({}),
  returns: z
    .object({ reset_at: z.string().meta({ format: 'date-time' }) })
    .meta({ description: 'When it ends', examples: [{ reset_at: '2026-01-16T09:30:00.000Z' }] }),
  audits: ['admin.person_reset_factor'],
  async handle(call) {
    const { db, now, request, params, body, wakeNotices } = call;
    const user = await personToChange(db, request, params.person_id);
    const reset = await resetFactor(db, user, body.reason, now());
    if (!reset) throw new AppError('notFound', { text: 'The account has no second factor' });
    const reset_at = reset.due_at.toISOString();
    if (reset.isNew) {
      wakeNotices();
      await auditAdmin(call, 'admin.person_reset_factor', { target: targetOf(user), after: { reset_at } });
    }
    return { reset_at };
  },
});
