import { orNotFound } from '@gatehouse/shared/http/errors';
import { message } from '@gatehouse/shared/operation/responses';
import { auditedKey } from './contract.ts';
import { operation } from './operation.ts';
import { auditTarget, OWNERS, ownerInPath } from './owners.ts';

export const deleteKeys = OWNERS.map(({ of, path, needs }) =>
  operation(`DELETE ${path}/keys/{key_id}`, {
    needs,
    supportSession: 'refused',
    summary: `Delete ${of}`,
    description: 'The key opens nothing any more, at the gateway within PRINCIPAL_CACHE_MS.',
    returns: message('Key deleted', 'The key opens nothing any more.'),
    audits: ['key.delete'],
    async handle({ db, request, params: { key_id }, audit }) {
      const owner = await ownerInPath(db, request);
      const deleted = orNotFound(await db.machineKeys.findOneAndDelete({ _id: key_id, owner }));
      await audit('key.delete', { target: auditTarget(request, key_id), before: auditedKey(deleted) });
    },
  }),
);
