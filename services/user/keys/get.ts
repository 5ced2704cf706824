import { orNotFound } from '@gatehouse/shared/http/errors';
import { keyRecord, presentKey } from './contract.ts';
import { operation } from './operation.ts';
import { OWNERS, ownerInPath } from './owners.ts';

export const getKeys = OWNERS.map(({ of, path, needs }) =>
  operation(`GET ${path}/keys/{key_id}`, {
    needs,
    summary: `Read ${of}`,
    description: 'Returns the key without its secret.',
    returns: keyRecord,
    async handle({ db, request, params: { key_id } }) {
      const owner = await ownerInPath(db, request);
      return presentKey(orNotFound(await db.machineKeys.findOne({ _id: key_id, owner })));
    },
  }),
);
