import { AppError, orNotFound } from '@gatehouse/shared/http/errors';
import { line } from '@gatehouse/shared/http/fields';
import { strictQuery } from '@gatehouse/shared/operation/lists';
import { z } from 'zod';
import { keysOf } from '../../keys/store-key.ts';
import { operation } from '../operation.ts';
import { holderById, holderOf, operatorsKey, presentOperatorsKey } from './key-owner.ts';

export const listAllKeys = operation('GET /api/v1/admin/keys', {
  needs: 'support operator',
  byKey: true,
  summary: 'Find keys',
  description:
    'Returns the keys of an `owner`, a person_id or a service_account_id, the newest first; or the one with a `key_id`, such as that of a key that was found where it should not be. No answer holds a secret.',
  query: strictQuery({
    owner: line(200).optional(),
    key_id: line(200)
      .optional()
      .meta({ description: 'The part of the key between `gh_` and the second `_`' }),
  }),
  returns: z.object({ keys: z.array(operatorsKey) }).meta({
    description: 'The keys',
    examples: [{ keys: operatorsKey.meta()?.examples ?? [] }],
  }),
  fails: ['invalidFormat', 'notFound'],
  async handle({ db, query: { owner, key_id } }) {
    if ((owner === undefined) === (key_id === undefined))
      throw new AppError('invalidFormat', { text: 'Please name either owner or key_id' });
    if (owner !== undefined) {
      const holder = await holderById(db, owner);
      return { keys: (await keysOf(db, holder.owner)).map((key) => presentOperatorsKey(key, holder)) };
    }
    const key = orNotFound(await db.machineKeys.findOne({ _id: key_id as string }));
    return { keys: [presentOperatorsKey(key, await holderOf(db, key.owner))] };
  },
});
