import type { AuditEvent } from '@gatehouse/shared/identity/audit';
import { emailKey } from '@gatehouse/shared/identity/email';
import { CHANGES, PERSONAL } from '../../account/deletion/erase-audit.ts';
import type { Database } from '../../database.ts';

type Db = Pick<Database, 'auditEvents' | 'users'>;
type Part = 'actor' | 'target' | 'change';

/** Tells what the deletion of an account has erased, and whose address an attempt named. */
export function lawfulChanges(db: Db) {
  let lastDeletion: Promise<number> | undefined;

  /** When the latest account was deleted, in Unix milliseconds. */
  const latestDeletion = async (): Promise<number> => {
    const found = await db.auditEvents.findOne(
      { 'target.user_id': { $gt: '' }, action: 'account.delete' },
      { sort: { at: -1 } },
    );
    return found?.at.getTime() ?? 0;
  };

  return {
    /** The accounts among these whose deletion is in the audit. */
    async deletedAmong(events: readonly AuditEvent[]): Promise<ReadonlySet<string>> {
      const ids = new Set(events.flatMap(({ user_id, target }) => [user_id ?? '', target.user_id ?? '']));
      ids.delete('');
      if (ids.size === 0) return new Set();
      const deleted = await db.auditEvents.distinct('target.user_id', {
        'target.user_id': { $in: [...ids] },
        action: 'account.delete',
      });
      return new Set(deleted.map(String));
    },

    /** Whether a deletion accounts for a part that is gone. */
    async isErasure(event: AuditEvent, part: Part, deleted: ReadonlySet<string>): Promise<boolean> {
      const { user_id, target, organization_id, action, at } = event;
      const byDeleted = user_id !== null && deleted.has(user_id);
      const aboutDeleted = target.user_id !== undefined && deleted.has(target.user_id);
      if (part === 'change')
        return (organization_id === null || PERSONAL.includes(action)) && (byDeleted || aboutDeleted);
      if (part === 'actor' && user_id !== null) return byDeleted;
      // Found by its address, which is gone: any later deletion may have been the reason.
      lastDeletion ??= latestDeletion();
      return aboutDeleted || (await lastDeletion) >= at.getTime();
    },

    /** Whether an account has or had the address of an event that was attributed to it after the fact. */
    async hadAddress({ user_id, email }: AuditEvent): Promise<boolean> {
      if (user_id === null || email === null) return false;
      const account = await db.users.findOne({ user_id }, { projection: { email: 1 } });
      if (account && emailKey(account.email) === email) return true;
      const actions = { action: { $in: [...CHANGES, 'scim.user' as const] } };
      const changes = db.auditEvents.find({
        $or: [
          { user_id, ...actions },
          { 'target.user_id': user_id, ...actions },
        ],
      });
      for await (const { before } of changes)
        if (typeof before?.email === 'string' && emailKey(before.email) === email) return true;
      return false;
    },
  };
}

export type LawfulChanges = ReturnType<typeof lawfulChanges>;
