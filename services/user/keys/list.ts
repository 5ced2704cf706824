import { z } from 'zod';
import { keyRecord, presentKey } from './contract.ts';
import { operation } from './operation.ts';
import { OWNERS, ownerInPath } from './owners.ts';
import { keysOf } from './store-key.ts';

export const listKeys = OWNERS.map(({ plural, path, needs }) =>
  operation(`GET ${path}/keys`, {
    needs,
    summary: `List ${plural}`,
    description: 'The newest first, with those that have expired. No answer holds a secret.',
    returns: z.object({ keys: z.array(keyRecord) }).meta({
      description: 'The keys',
      examples: [{ keys: keyRecord.meta()?.examples ?? [] }],
    }),
    async handle({ db, request }) {
      return { keys: (await keysOf(db, await ownerInPath(db, request))).map(presentKey) };
    },
  }),
);
