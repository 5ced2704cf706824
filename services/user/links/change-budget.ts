import { HOUR } from '@gatehouse/shared/data/hourly-budget';
import { spendAll } from '@gatehouse/shared/data/sliding-budget';
import type { User } from '@gatehouse/shared/identity/user-record';
import type { WithId } from 'mongodb';
import type { Database } from '../database.ts';

/** Links that an account begins within an hour. */
const PER_HOUR = 20;

/**
 * @returns a function that takes the change back.
 * @throws {AppError} rateLimited when the account has begun too many links.
 */
export const spendChange = (
  db: Database,
  { _id }: Pick<WithId<User>, '_id'>,
  now: number,
): Promise<() => Promise<void>> =>
  spendAll(db, [{ key: `links of ${_id.toHexString()}`, limit: PER_HOUR, seconds: HOUR }], now);
