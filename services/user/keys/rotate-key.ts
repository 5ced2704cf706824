import { AppError, orNotFound } from '@gatehouse/shared/http/errors';
import { expecting } from '@gatehouse/shared/http/fields';
import { keyText, newKeySecret, secretHash } from '@gatehouse/shared/identity/machine-keys/format';
import type { MachineKey } from '@gatehouse/shared/identity/machine-keys/records';
import type { Filter } from 'mongodb';
import { z } from 'zod';
import type { Database } from '../database.ts';

const MAX_OVERLAP = 7;
const DAY = 86_400_000;

const overlapError = `must be an integer from 0 to ${MAX_OVERLAP}`;

/** For how many days the former secret still works. */
export const overlapDays = z
  .int(expecting(overlapError))
  .min(0, { error: overlapError })
  .max(MAX_OVERLAP, { error: overlapError });

/**
 * Replaces the secret of a key.
 * @param now Unix milliseconds.
 * @returns the record, and the key itself, which is stored nowhere.
 * @throws {AppError} notFound, or duplicate if another call has just rotated the key.
 */
export async function rotateKey(
  { machineKeys }: Pick<Database, 'machineKeys'>,
  filter: Filter<MachineKey> & { _id: string },
  { overlap_days, now }: { overlap_days: number; now: number },
) {
  const { hash } = orNotFound(await machineKeys.findOne(filter));
  const secret = newKeySecret();
  const rotated_at = new Date(now);
  const until = new Date(now + overlap_days * DAY);
  const record = await machineKeys.findOneAndUpdate(
    // One of two rotations at once would otherwise end the secret that machines still use.
    { ...filter, hash },
    overlap_days > 0
      ? { $set: { hash: secretHash(secret), rotated_at, previous: { hash, until } } }
      : { $set: { hash: secretHash(secret), rotated_at }, $unset: { previous: true } },
    { returnDocument: 'after' },
  );
  if (!record) throw new AppError('duplicate', { text: 'Another call has just changed the key' });
  return { record, key: keyText(filter._id, secret) };
}
