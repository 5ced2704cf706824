import { insertInFreeSlot, lowestFree } from '@gatehouse/shared/durable/slot';
import { AppError } from '@gatehouse/shared/http/errors';
import { keyText, newKeyId, newKeySecret, secretHash } from '@gatehouse/shared/identity/machine-keys/format';
import { type KeyOwner, MAX_KEYS, type MachineKey } from '@gatehouse/shared/identity/machine-keys/records';
import type { Database } from '../database.ts';

type NewKey = Pick<
  MachineKey,
  'owner' | 'name' | 'permissions' | 'networks' | 'expires_at' | 'created_at' | 'created_by'
>;

/**
 * Stores a new key in a free slot of its owner.
 * @returns the record, and the key itself, which is stored nowhere.
 * @throws {AppError} duplicate if the owner has as many keys as it can have.
 */
export async function storeKey({ machineKeys }: Database, key: NewKey) {
  const [_id, secret] = [newKeyId(), newKeySecret()];
  const freeSlot = async () => {
    const slot = lowestFree(await machineKeys.distinct('slot', { owner: key.owner }), MAX_KEYS);
    if (slot === undefined)
      throw new AppError('duplicate', { text: `There are ${MAX_KEYS} keys. Please delete one first.` });
    return slot;
  };
  const record = await insertInFreeSlot(['slot'], freeSlot, async (slot) => {
    const stored: MachineKey = { ...key, _id, slot, hash: secretHash(secret) };
    await machineKeys.insertOne(stored);
    return stored;
  });
  return { record, key: keyText(_id, secret) };
}

/** The keys of an owner, the newest first. */
export const keysOf = (
  { machineKeys }: Pick<Database, 'machineKeys'>,
  owner: KeyOwner,
): Promise<MachineKey[]> => machineKeys.find({ owner }).sort({ created_at: -1, _id: 1 }).toArray();
