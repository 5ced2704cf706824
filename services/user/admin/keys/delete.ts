import { orNotFound } from '@gatehouse/shared/http/errors';
import { message } from '@gatehouse/shared/operation/responses';
import { auditedKey } from '../../keys/contract.ts';
import { operation } from '../operation.ts';
import { auditAdmin, withReason } from '../reason.ts';
import { auditedHolder, holderOf } from './key-owner.ts';

export const deleteAnyKey = operation('DELETE /api/v1/admin/keys/{key_id}', {
  needs: 'admin operator',
  fresh: true,
  summary: 'Delete a key of anybody',
  description:
    'For a key that was found where it should not be. It opens nothing any more, at the gateway within PRINCIPAL_CACHE_MS.',
  body: withReason({}),
  returns: message('Key deleted', 'The key opens nothing any more.'),
  fails: ['notFound'],
  audits: ['admin.key_delete'],
  async handle(call) {
    const { db, params } = call;
    const { owner } = orNotFound(await db.machineKeys.findOne({ _id: params.key_id }));
    const holder = await holderOf(db, owner);
    const deleted = orNotFound(await db.machineKeys.findOneAndDelete({ _id: params.key_id }));
    await auditAdmin(call, 'admin.key_delete', {
      ...auditedHolder(holder, params.key_id),
      before: auditedKey(deleted),
    });
  },
});
