import { ANY_STRING } from '@gatehouse/shared/data/connect';
import { orNotFound } from '@gatehouse/shared/http/errors';
import { message } from '@gatehouse/shared/operation/responses';
import { z } from 'zod';
import type { SsoOptions } from '../dependencies.ts';
import { operation } from '../dependencies.ts';
import { endProviderSessions } from '../login/end-sessions.ts';
import type { Identity } from '../records.ts';
import { connectionPath } from './contract.ts';
import { ownedConnection } from './owned.ts';

export const unlinkIdentity = operation(
  'DELETE /api/v1/sso/connections/{connection_id}/identities/{user_id}',
  {
    needs: 'ownership',
    supportSession: 'refused',
    summary: 'Unlink an identity',
    description:
      'Unlinks an account from the person at the connection, and ends its sessions that began there. The account, its memberships and what SCIM manages stay. The next login through the connection links the account again, with the identifier that the provider then sends. Also possible without the plan.',
    params: connectionPath.extend({ user_id: z.string().meta({ description: 'The linked account' }) }),
    returns: message('Identity unlinked', 'The identity is unlinked'),
    audits: ['sso.unlink'],
    async handle(call) {
      const { db, now, audit, params, request } = call;
      const { connection_id, user_id } = params;
      const { organization_id } = await ownedConnection(call, request, connection_id);
      // A repeated call completes one that was interrupted.
      const before = orNotFound(
        await db.ssoIdentities.findOneAndUpdate(
          { connection_id, user_id, $or: [{ subject: ANY_STRING }, { unlinking: true }] },
          {
            $set: { unlinking: true, updated_at: new Date(now()) },
            $unset: { subject: true, last_login_at: true },
          },
          { returnDocument: 'before' },
        ),
      );
      if (before.subject !== undefined)
        await audit('sso.unlink', { target: { user_id, connection_id }, organization_id });
      await finishUnlinking(call, before);
    },
  },
);

/**
 * Ends the sessions of an identity that is being unlinked, and removes it unless SCIM or a new login has use for it.
 * Idempotent.
 */
async function finishUnlinking(
  options: Pick<SsoOptions, 'config' | 'db' | 'now'>,
  { identity_id, connection_id, user_id }: Identity,
): Promise<void> {
  const { ssoIdentities } = options.db;
  await endProviderSessions(options, { connection_id, user_id });
  const unlinking = { identity_id, unlinking: true } as const;
  const unused = { subject: { $exists: false }, scim: { $exists: false } };
  await ssoIdentities.deleteOne({ ...unlinking, ...unused });
  await ssoIdentities.updateOne(unlinking, { $unset: { unlinking: true } });
}

/** Completes calls that were interrupted. */
export async function unlinkInterrupted(options: Pick<SsoOptions, 'config' | 'db' | 'now'>): Promise<void> {
  const identities = await options.db.ssoIdentities.find({ unlinking: true }).toArray();
  for (const identity of identities) await finishUnlinking(options, identity);
}
