import { accountBudget, spendAll } from '@gatehouse/shared/data/sliding-budget';
import type { User } from '@gatehouse/shared/identity/user-record';
import type { WithId } from 'mongodb';
import type { FactorDependencies } from './operation.ts';

/** Enrollments and new recovery codes of one account within an hour. Each is told by mail. */
const PER_HOUR = 10;

/**
 * @returns a function that takes the change back.
 * @throws {AppError} rateLimited when the account has changed its second factors too often.
 */
export const spendChange = (
  db: FactorDependencies['db'],
  { _id }: Pick<WithId<User>, '_id'>,
  now: number,
): Promise<() => Promise<void>> => spendAll(db, [accountBudget('factors', _id, PER_HOUR)], now);
