import { principalOf } from '@gatehouse/shared/identity/principal';
import { z } from 'zod';
import { passkeyRecord, presentPasskey } from './contract.ts';
import { operation } from './operation.ts';
import { ownPasskeys } from './own-passkeys.ts';

export const listPasskeys = operation('GET /api/v1/users/me/passkeys', {
  needs: 'own',
  summary: 'List your own passkeys',
  description: 'Returns at most twenty passkeys, oldest first.',
  returns: z.object({ passkeys: z.array(passkeyRecord) }).meta({
    description: 'The passkeys',
    examples: [{ passkeys: passkeyRecord.meta()?.examples }],
  }),
  async handle({ db, request }) {
    const own = await ownPasskeys(db, principalOf(request).user);
    return { passkeys: own.map(presentPasskey) };
  },
});
