import { AppError } from '@gatehouse/shared/http/errors';
import { principalOf } from '@gatehouse/shared/identity/principal';
import { hasEnded } from '@gatehouse/shared/identity/sessions';
import type { User } from '@gatehouse/shared/identity/user-record';
import { findUserById, isActive } from '@gatehouse/shared/identity/users';
import type { FastifyRequest } from 'fastify';
import type { Collection } from 'mongodb';

/**
 * Reads the caller's account again after a write has matched nothing.
 * @throws {AppError} invalidToken if the session has ended since the bearer was checked.
 */
export async function requireLiveSession(users: Collection<User>, request: FastifyRequest): Promise<void> {
  const { user, session } = principalOf(request);
  const current = await findUserById(users, user._id);
  // The token holds the address.
  if (!current || !isActive(current) || hasEnded(current, session) || current.email !== user.email)
    throw new AppError('invalidToken');
}
