import type { KeyPermission } from '@gatehouse/shared/access/key-permissions';
import {
  KEY_PERMISSIONS,
  OPERATOR_PERMISSIONS,
  SERVICE_ACCOUNT_PERMISSIONS,
} from '@gatehouse/shared/access/key-permissions';
import { AppError, orNotFound } from '@gatehouse/shared/http/errors';
import { line } from '@gatehouse/shared/http/fields';
import { newNotice, withNotice } from '@gatehouse/shared/identity/notices';
import { ACTIVE, userIdOf } from '@gatehouse/shared/identity/users';
import type { Database } from '../../database.ts';
import { auditedKey, keyWithSecret, newKeyFields, presentKey, storedFields } from '../../keys/contract.ts';
import { overlapDays, rotateKey } from '../../keys/rotate-key.ts';
import { storeKey } from '../../keys/store-key.ts';
import { operation } from '../operation.ts';
import { auditAdmin, withReason } from '../reason.ts';
import { auditedHolder, holderById, holderOf, type KeyHolder } from './key-owner.ts';

/**
 * Operations of the command on the database, which no service serves: a key acts as its owner, so over HTTP only the owner
 * gets one.
 */
export const commandLineKeys = [
  operation('POST /api/v1/admin/keys', {
    needs: 'admin operator',
    fresh: true,
    hidden: true,
    returnsSecret: true,
    summary: 'Make a key for anybody',
    description: 'Makes a key of a person, who is told by mail, or of a service account.',
    body: withReason({ owner: line(200), ...newKeyFields(KEY_PERMISSIONS) }),
    returns: { 201: keyWithSecret },
    fails: ['notFound', 'duplicate', 'forbidden'],
    audits: ['key.create'],
    async handle(call) {
      const { db, now, caller, wakeNotices, body } = call;
      const { owner: id, name, permissions, networks = [], expires_at = null } = body;
      const holder = await holderById(db, id);
      await requireGivable(db, holder, permissions);
      const fields = storedFields({ name, permissions, networks, expires_at }, now());
      const { owner } = holder;
      const created = { created_at: new Date(now()), created_by: caller };
      const given = { owner, name, permissions, networks, expires_at: null, ...fields, ...created };
      const { record, key } = await storeKey(db, given);
      if (holder.user) {
        const notice = newNotice({ kind: 'key_created', to: holder.user.email, at: now(), details: {} });
        const { matchedCount } = await db.users.updateOne(
          { _id: holder.user._id, deletion: { $exists: false }, ...ACTIVE },
          withNotice({}, notice),
        );
        if (matchedCount === 0) {
          await db.machineKeys.deleteOne({ _id: record._id });
          throw new AppError('forbidden', { text: 'The account is not active' });
        }
        wakeNotices();
      }
      await auditAdmin(call, 'key.create', {
        ...auditedHolder(holder, record._id),
        after: auditedKey(record),
      });
      return { ...presentKey(record), key };
    },
  }),
  operation('POST /api/v1/admin/keys/{key_id}/rotate', {
    needs: 'admin operator',
    fresh: true,
    hidden: true,
    returnsSecret: true,
    summary: 'Replace the secret of a key of anybody',
    description: 'The former secret works for so many days more.',
    body: withReason({ overlap_days: overlapDays }),
    returns: keyWithSecret,
    fails: ['notFound', 'duplicate'],
    audits: ['key.rotate'],
    async handle(call) {
      const {
        db,
        now,
        params: { key_id: _id },
        body: { overlap_days },
      } = call;
      const { owner } = orNotFound(await db.machineKeys.findOne({ _id }));
      const holder = await holderOf(db, owner);
      const { record, key } = await rotateKey(db, { _id }, { overlap_days, now: now() });
      await auditAdmin(call, 'key.rotate', {
        ...auditedHolder(holder, _id),
        after: { overlap_days: String(overlap_days) },
      });
      return { ...presentKey(record), key };
    },
  }),
];

/** @throws {AppError} forbidden for permissions that keys of this owner cannot have. */
async function requireGivable(
  db: Pick<Database, 'operators'>,
  { user, serviceAccount }: KeyHolder,
  permissions: readonly KeyPermission[],
): Promise<void> {
  if (serviceAccount) {
    const other = permissions.find((permission) => !SERVICE_ACCOUNT_PERMISSIONS.includes(permission));
    if (other) throw new AppError('forbidden', { text: `No service account has the permission "${other}"` });
    return;
  }
  const given = OPERATOR_PERMISSIONS.find((permission) => permissions.includes(permission));
  if (given && !(await db.operators.findOne({ _id: userIdOf(user) ?? '' })))
    throw new AppError('forbidden', { text: `Only keys of operators have the permission "${given}"` });
}
