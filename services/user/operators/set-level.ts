import { isDuplicateKey } from '@gatehouse/shared/data/connect';
import { optimistic } from '@gatehouse/shared/durable/optimistic';
import type { Operator } from '@gatehouse/shared/identity/operators';
import type { Database } from '../database.ts';
import { endAdmin } from './end-admin.ts';

/**
 * Makes an account an operator, or changes the level of one.
 * @param operator the record of a new one.
 * @returns the record before; null if there was none.
 * @throws {AppError} lastAdmin
 */
export const setLevel = (db: Database, operator: Operator): Promise<Operator | null> =>
  optimistic(() => (operator.level === 'admin' ? put : lower)(db, operator));

/** @returns the record before; null if there was none, undefined if a concurrent write came first. */
type Change = (db: Database, operator: Operator) => Promise<Operator | null | undefined>;

/** The write of a level that is not the one before. */
const changing = ({ level, added_at }: Operator) => ({
  $set: { level, level_since: added_at },
  $unset: { leaving: true as const },
});

/** Stores the level unless the operator has it already; then nothing changes but the mark of a call that lowers them. */
const put: Change = async (db, operator) => {
  const { _id, level, added_at, added_by } = operator;
  const unchanged = await db.operators.findOneAndUpdate({ _id, level }, { $unset: { leaving: true } });
  if (unchanged) return unchanged;
  return db.operators
    .findOneAndUpdate(
      // Only `endAdmin` ends the level `admin`.
      { _id, level: { $nin: [level, 'admin'] } },
      { ...changing(operator), $setOnInsert: { added_at, added_by } },
      { upsert: true },
    )
    .catch((error) => {
      if (isDuplicateKey(error)) return undefined;
      throw error;
    });
};

const lower: Change = async (db, operator) => {
  const { _id, added_at } = operator;
  const ended = await endAdmin(db, _id, added_at.getTime(), (mark) =>
    db.operators.findOneAndUpdate({ _id, ...mark }, changing(operator)),
  );
  return ended ?? put(db, operator);
};
