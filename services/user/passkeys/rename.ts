import { orNotFound } from '@gatehouse/shared/http/errors';
import { jsonBody, line } from '@gatehouse/shared/http/fields';
import { principalOf } from '@gatehouse/shared/identity/principal';
import { ofPasskey, passkeyRecord, presentPasskey } from './contract.ts';
import { operation } from './operation.ts';
import { ownPasskey } from './own-passkeys.ts';

export const renamePasskey = operation('PATCH /api/v1/users/me/passkeys/{passkey_id}', {
  needs: 'own',
  supportSession: 'refused',
  summary: 'Rename a passkey',
  description: 'Changes the name in this service. The name in a password manager stays.',
  params: ofPasskey,
  body: jsonBody({ name: line(100) }).meta({ examples: [{ name: 'Work phone' }] }),
  returns: passkeyRecord,
  audits: ['passkey.rename'],
  async handle({ db, request, params: { passkey_id }, body: { name }, audit }) {
    const { user } = principalOf(request);
    const { _id, account, name: before } = await ownPasskey(db, user, passkey_id);
    const renamed = orNotFound(
      await db.passkeys.findOneAndUpdate({ _id, account }, { $set: { name } }, { returnDocument: 'after' }),
    );
    if (before !== name) await audit('passkey.rename', { before: { name: before }, after: { name } });
    return presentPasskey(renamed);
  },
});
