import { type KeyPermission, OPERATOR_PERMISSIONS } from '@gatehouse/shared/access/key-permissions';
import type { Config } from '@gatehouse/shared/config';
import { AppError } from '@gatehouse/shared/http/errors';
import { callerId, requireFactor } from '@gatehouse/shared/identity/principal';
import type { FastifyRequest } from 'fastify';
import type { Database } from '../database.ts';

interface Options {
  config: Pick<Config<'user'>, 'NODE_ENV'>;
  db: Database;
  now: () => number;
  request: FastifyRequest;
}

/**
 * Requires that the caller may give a key these permissions. Those of roles are compared at each call of the key; those
 * of operators only operators give, in production in a session with a second factor, because the key has none.
 * @throws {AppError} forbidden or operatorFactorRequired
 */
export async function requireKeyHolder(
  { config, db, now, request }: Options,
  permissions: readonly KeyPermission[],
): Promise<void> {
  const given = OPERATOR_PERMISSIONS.find((permission) => permissions.includes(permission));
  if (!given) return;
  if (!(await db.operators.findOne({ _id: callerId(request) })))
    throw new AppError('forbidden', { text: `Only operators make keys with the permission "${given}"` });
  if (config.NODE_ENV === 'production') requireFactor(request, now());
}
