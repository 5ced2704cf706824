import { restoreAccount } from '@gatehouse/shared/identity/deletion';
import type { User } from '@gatehouse/shared/identity/user-record';
import type { FastifyRequest } from 'fastify';
import type { WithId } from 'mongodb';
import type { SsoOptions } from '../dependencies.ts';
import { SsoRefusal } from '../refusal.ts';

/**
 * Restores an account whose deletion is pending, after the last check of a login: a refused login restores nothing.
 * @throws {SsoRefusal} account disabled if the job has begun.
 */
export async function restore(
  { db, now }: Pick<SsoOptions, 'db' | 'now'>,
  request: FastifyRequest,
  user: WithId<User>,
): Promise<void> {
  if (!(await restoreAccount(db, request, user, now())))
    throw new SsoRefusal('account disabled', `the account ${user.user_id} is being deleted`);
}
