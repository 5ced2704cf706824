import { isDuplicateKey } from '@gatehouse/shared/data/connect';
import { optimistic } from '@gatehouse/shared/durable/optimistic';
import { AppError } from '@gatehouse/shared/http/errors';
import { oneOf } from '@gatehouse/shared/http/fields';
import { OPERATOR_LEVELS, type Operator, type OperatorLevel } from '@gatehouse/shared/identity/operators';
import { findActiveUser } from '@gatehouse/shared/identity/users';
import type { Database } from '../../database.ts';
import { endAdmin } from '../../operators/end-admin.ts';
import { operation } from '../operation.ts';
import { auditAdmin, withReason } from '../reason.ts';
import { operatorRecord, presentOperator } from './contract.ts';

export const setOperator = operation('PUT /api/v1/admin/operators/{user_id}', {
  needs: 'admin operator',
  fresh: true,
  summary: 'Make somebody an operator',
  description:
    'Makes an active account an operator, or changes the level of one. Nobody changes their own level, and one admin who can act always remains.',
  body: withReason({ level: oneOf(OPERATOR_LEVELS) }, { level: 'support' }),
  returns: operatorRecord,
  fails: ['notFound', 'lastAdmin', 'unavailable'],
  audits: ['admin.operator_set'],
  async handle(call) {
    const { db, now, caller, params, body } = call;
    const { user_id } = params;
    const { level } = body;
    if (user_id === caller)
      throw new AppError('forbidden', { text: 'Operators cannot change their own level' });
    if (!(await findActiveUser(db.users, user_id)))
      throw new AppError('notFound', { text: 'No active account has this user_id' });
    const operator = { _id: user_id, level, added_at: new Date(now()), added_by: caller };
    const before = await optimistic(() => (level === 'admin' ? raise : lower)(db, operator));
    if (before?.level !== level)
      await auditAdmin(call, 'admin.operator_set', {
        target: { user_id },
        before: before && { level: before.level },
        after: { level },
      });
    return presentOperator(before ? { ...before, level } : operator);
  },
});

/** @returns the record before; null if there was none, undefined if a concurrent write came first. */
type Change = (db: Database, operator: Operator) => Promise<Operator | null | undefined>;

const put = (db: Database, { _id, level, ...added }: Operator, unless: { level?: { $ne: OperatorLevel } }) =>
  db.operators
    .findOneAndUpdate(
      { _id, ...unless },
      { $set: { level }, $unset: { leaving: true }, $setOnInsert: added },
      { upsert: true },
    )
    .catch((error) => {
      if (isDuplicateKey(error)) return undefined;
      throw error;
    });

const raise: Change = (db, operator) => put(db, operator, {});

const lower: Change = async (db, operator) => {
  const { _id, level } = operator;
  const ended = await endAdmin(db, _id, operator.added_at.getTime(), (mark) =>
    db.operators.findOneAndUpdate({ _id, ...mark }, { $set: { level }, $unset: { leaving: true } }),
  );
  return ended ?? put(db, operator, { level: { $ne: 'admin' } });
};
