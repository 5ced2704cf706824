import { ScimError } from '@gatehouse/scim/errors';
import { duplicatePositions } from '@gatehouse/shared/data/bulk-errors';
import type { User } from '@gatehouse/shared/identity/user-record';
import type { UserInput } from './input.ts';
import type { ScimIdentity } from './present.ts';
import type { SyncResult } from './sync-account.ts';

/** Documents in one write. Other calls reach the database between writes. */
const WRITE_SIZE = 125;

/** A user that is being created, step by step. */
export interface Creation {
  input: UserInput;
  account?: Pick<User, 'email'> & { user_id: string };
  how?: 'created' | 'taken over' | 'linked';
  identity?: ScimIdentity;
  /** How `active` changed the account. */
  synced?: SyncResult;
  error?: unknown;
}

export const taken = (): ScimError => new ScimError(409, 'There is a user with this userName', 'uniqueness');

/** Runs a step for each creation, a few at a time; what fails concerns that one alone. */
export async function each(
  creations: readonly Creation[],
  step: (creation: Creation) => Promise<void>,
): Promise<void> {
  const queue = creations.values();
  const worker = async () => {
    for (const creation of queue)
      await step(creation).catch((error) => {
        creation.error = error;
      });
  };
  await Promise.all(Array.from({ length: 8 }, worker));
}

/**
 * Inserts rows in several writes. A write that fails marks only its own rows as failed.
 * @returns the rows that were inserted; duplicates are left out.
 */
export async function insertAll<T extends { creation: Creation; document: object }>(
  rows: readonly T[],
  insert: (documents: T['document'][]) => Promise<unknown>,
): Promise<T[]> {
  const stored: T[] = [];
  for (let from = 0; from < rows.length; from += WRITE_SIZE) {
    const written = rows.slice(from, from + WRITE_SIZE);
    try {
      const inserted = insert(written.map(({ document }) => document));
      const excluded = await inserted.then(() => new Set<number>(), duplicatePositions);
      stored.push(...written.filter((_, index) => !excluded.has(index)));
    } catch (error) {
      for (const { creation } of written) creation.error = error;
    }
  }
  return stored;
}
