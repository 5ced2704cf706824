import { randomUUIDv7 } from 'node:crypto';
import { PASSKEY_TOKEN_EXAMPLE, passkeyToken } from '@gatehouse/shared/contract/passkey-proof';
import { isDuplicateKey } from '@gatehouse/shared/data/connect';
import { accountBudget, orTakeBack, spendAll } from '@gatehouse/shared/data/sliding-budget';
import { LOGIN_BODY } from '@gatehouse/shared/http/body-limits';
import { AppError } from '@gatehouse/shared/http/errors';
import { jsonBody, line } from '@gatehouse/shared/http/fields';
import { newNotice, withNotice } from '@gatehouse/shared/identity/notices';
import { principalOf } from '@gatehouse/shared/identity/principal';
import { isLive } from '@gatehouse/shared/identity/sessions';
import { requiresSso } from '@gatehouse/shared/identity/sso';
import { ACTIVE } from '@gatehouse/shared/identity/users';
import { hasRoomFor } from '@gatehouse/shared/identity/ways-in';
import { verifyAttestation } from '@gatehouse/shared/passkeys/attestation';
import { ceremonyOf, consumeCeremony } from '@gatehouse/shared/passkeys/ceremony';
import { ATTESTATION_EXAMPLE, attestation } from '@gatehouse/shared/passkeys/credentials';
import type { Passkey } from '@gatehouse/shared/passkeys/records';
import { requireRelyingParty } from '@gatehouse/shared/passkeys/relying-party';
import type { Condition } from 'mongodb';
import { requireLiveSession } from '../account/own-session.ts';
import { passkeyRecord, presentPasskey } from './contract.ts';
import { operation } from './operation.ts';
import { registrationFor, tooMany } from './options.ts';
import { forgetUnnamed } from './own-passkeys.ts';

/** Registrations of one account within an hour. Each sends a mail. */
const PER_HOUR = 10;

export const registerPasskey = operation('POST /api/v1/users/me/passkeys', {
  needs: 'own',
  fresh: true,
  bodyLimit: LOGIN_BODY,
  summary: 'Register a passkey',
  description:
    'The passkey alone then logs in to the account. A mail tells the person. Other sessions continue; `DELETE /api/v1/users/me/sessions` ends them. Ten registrations in an hour lead to 429.',
  body: jsonBody({ passkey_token: passkeyToken, credential: attestation, name: line(100) }).meta({
    examples: [
      {
        passkey_token: PASSKEY_TOKEN_EXAMPLE,
        credential: ATTESTATION_EXAMPLE,
        name: 'Phone',
      },
    ],
  }),
  returns: { 201: passkeyRecord },
  fails: ['passkeyInvalid', 'passkeyTokenInvalid', 'ssoRequired', 'duplicate', 'notFound', 'rateLimited'],
  audits: ['passkey.add'],
  async handle({ config, db, tokens, now, wakeNotices, request, body, audit }) {
    const { user, session } = principalOf(request);
    const { _id: account, email } = user;
    const party = requireRelyingParty(config);
    const ceremony = ceremonyOf(tokens, body.passkey_token, registrationFor(request), now());
    const { challenge, handle = '' } = ceremony;
    const attested = await verifyAttestation(body.credential, { party, challenge });
    if (await requiresSso(db, user, now())) throw new AppError('ssoRequired');
    await consumeCeremony(db, ceremony, now());
    const takeBack = await spendAll(db, [accountBudget('passkeys', account, PER_HOUR)], now());

    const passkey: Passkey = {
      ...attested,
      passkey_id: randomUUIDv7(),
      account,
      name: body.name,
      created_at: new Date(now()),
    };
    const { _id, name } = passkey;
    await orTakeBack(takeBack, async () => {
      // The unique id decides between two accounts. Until the account lists the passkey, it opens nothing.
      await db.passkeys.insertOne(passkey).catch((error) => {
        if (!isDuplicateKey(error)) throw error;
        throw new AppError('duplicate', { text: 'This passkey is registered already' });
      });
      const notice = newNotice({ kind: 'passkey_added', to: email, at: now(), request, details: {} });
      const { matchedCount } = await db.users.updateOne(
        {
          _id: account,
          // Null matches an account that has had no passkey yet.
          passkey_handle: { $in: [handle, null] } as Condition<string>,
          ...hasRoomFor('passkeys', _id),
          ...ACTIVE,
          ...isLive(session),
        },
        withNotice({ $push: { passkeys: _id }, $set: { passkey_handle: handle } }, notice),
      );
      if (matchedCount === 1) return;
      await db.passkeys.deleteOne({ _id, account });
      await requireLiveSession(db.users, request);
      const current = await db.users.findOne({ _id: account }, { projection: { passkey_handle: 1 } });
      // Another first registration was faster.
      throw current?.passkey_handle === handle ? tooMany() : new AppError('passkeyTokenInvalid');
    });
    wakeNotices();
    await audit('passkey.add', { after: { name } });
    await forgetUnnamed(db, account, now());
    return presentPasskey(passkey);
  },
});
