import { AppError } from '@gatehouse/shared/http/errors';
import { jsonBody, typedCode } from '@gatehouse/shared/http/fields';
import { requireFactor } from '@gatehouse/shared/identity/principal';
import { findActiveUser } from '@gatehouse/shared/identity/users';
import { operation } from '../account/operation.ts';
import { operatorRecord, presentOperator } from '../admin/operators/contract.ts';
import { claimFirstOperator } from './first-operator.ts';

export const becomeOperator = operation('POST /api/v1/users/me/operator', {
  needs: 'own',
  fresh: true,
  summary: 'Become the first operator',
  description:
    'Makes the caller an operator of the level `admin` by the secret in the one-time link that `npx gatehouse operators link` prints. It works once, for an hour, and only while there is no operator.',
  body: jsonBody({
    claim: typedCode.meta({ description: 'The secret in the fragment of the link' }),
  }).meta({ examples: [{ claim: 'zPq4cYw0mR8sK1vN6bT3xJ7uH2eL9aF5dG0iO-QyWEk' }] }),
  returns: operatorRecord,
  fails: ['forbidden', 'notFound', 'operatorFactorRequired'],
  audits: ['admin.operator_set'],
  async handle({ config, db, now, request, caller: user_id, body, audit }) {
    if (config.NODE_ENV === 'production') requireFactor(request, now());
    if (!(await findActiveUser(db.users, user_id))) throw new AppError('forbidden');
    const claimed = await claimFirstOperator(db, { secret: body.claim, user_id, now: now() });
    if (!claimed) throw new AppError('notFound', { text: 'This link is no longer valid' });
    const { operator, isAdded } = claimed;
    if (isAdded)
      await audit('admin.operator_set', {
        target: { user_id },
        after: { level: operator.level, reason: 'Opened the link for the first operator' },
      });
    return presentOperator(operator);
  },
});
