import { accountBudget, orTakeBack, spendAll } from '@gatehouse/shared/data/sliding-budget';
import { AppError } from '@gatehouse/shared/http/errors';
import { SSO_REQUIRED } from '@gatehouse/shared/identity/machine-keys/authenticate';
import { newNotice, withNotice } from '@gatehouse/shared/identity/notices';
import { principalOf } from '@gatehouse/shared/identity/principal';
import { isLive } from '@gatehouse/shared/identity/sessions';
import { requiresSso } from '@gatehouse/shared/identity/sso';
import { ACTIVE } from '@gatehouse/shared/identity/users';
import type { FastifyRequest } from 'fastify';
import { ObjectId } from 'mongodb';
import { requireLiveSession } from '../account/own-session.ts';
import type { Database } from '../database.ts';
import { auditedKey, keyWithSecret, newKeyBody, presentKey, storedFields } from './contract.ts';
import { operation } from './operation.ts';
import { auditTarget, OWNERS, ownerInPath } from './owners.ts';
import { requireKeyHolder } from './require-key-holder.ts';
import { managedAccount } from './service-accounts/managed.ts';
import { storeKey } from './store-key.ts';

/** Keys that one person makes within an hour. Their own each send a mail. */
const PER_HOUR = 20;

export const createKeys = OWNERS.map(({ of, path, needs, permissions }) =>
  operation(`POST ${path}/keys`, {
    needs,
    supportSession: 'refused',
    fresh: true,
    returnsSecret: true,
    summary: `Make ${of}`,
    description:
      'The answer is the only one that holds the key. A call with the key may do what its owner may do at that time, and of that only what the permissions name. At most twenty keys; twenty in an hour. A mail tells the person of a key of their own.',
    body: newKeyBody(permissions),
    returns: { 201: keyWithSecret },
    fails: ['duplicate', 'ssoRequired'],
    audits: ['key.create'],
    async handle({ config, db, now, wakeNotices, request, caller, body, audit }) {
      const { user } = principalOf(request);
      const owner = await ownerInPath(db, request);
      const { name, permissions, networks = [], expires_at = null } = body;
      await requireKeyHolder({ config, db, now, request }, permissions);
      if (owner instanceof ObjectId && (await requiresSso(db, user, now())))
        throw new AppError('ssoRequired', { text: SSO_REQUIRED });
      const fields = storedFields({ name, permissions, networks, expires_at }, now());
      const takeBack = await spendAll(db, [accountBudget('keys', user._id, PER_HOUR)], now());
      const { record, key } = await orTakeBack(takeBack, async () => {
        const stored = await storeKey(db, {
          owner,
          name,
          permissions,
          networks,
          expires_at: null,
          ...fields,
          created_at: new Date(now()),
          created_by: caller,
        });
        await orForget(db, stored.record._id, () => confirmOwner(db, request, owner, now()));
        return stored;
      });
      if (owner instanceof ObjectId) wakeNotices();
      await audit('key.create', { target: auditTarget(request, record._id), after: auditedKey(record) });
      return { ...presentKey(record), key };
    },
  }),
);

/** The answer has not been sent, so after a kill in between nobody knows the key. */
const orForget = (db: Database, _id: string, confirm: () => Promise<void>): Promise<void> =>
  confirm().catch(async (error) => {
    await db.machineKeys.deleteOne({ _id });
    throw error;
  });

/**
 * Requires that whoever could make the key before it was stored still can, and tells its person.
 * @throws {AppError} invalidToken or notFound
 */
async function confirmOwner(
  db: Database,
  request: FastifyRequest,
  owner: string | ObjectId,
  now: number,
): Promise<void> {
  if (!(owner instanceof ObjectId)) return void (await managedAccount(db, request, owner));
  const { user, session } = principalOf(request);
  const notice = newNotice({ kind: 'key_created', to: user.email, at: now, request, details: {} });
  const { matchedCount } = await db.users.updateOne(
    { _id: owner, deletion: { $exists: false }, ...ACTIVE, ...isLive(session) },
    withNotice({}, notice),
  );
  if (matchedCount === 1) return;
  await requireLiveSession(db.users, request);
  throw new AppError('invalidToken');
}
