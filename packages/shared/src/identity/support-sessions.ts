import type { FastifyRequest } from 'fastify';
import type { Collection } from 'mongodb';
import { AppError } from '../http/errors.ts';
import type { Operator } from './operators.ts';
import { hasEnded, type Session } from './sessions.ts';
import type { SupportSession } from './tokens.ts';
import type { User } from './user-record.ts';
import { isActive, userIdOf } from './users.ts';

/** Which support sessions may make a call: none, only full ones, or also read-only ones. */
export type SupportAccess = 'none' | 'full' | 'read';

const SAFE: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Returns whether the operator of a support session may still act as the person. Their account must be active, and
 * whatever ended all their own sessions has ended this one. An admin holds a full session. Nobody acts as an operator.
 */
export async function mayStillSupport(
  operators: Collection<Operator>,
  readUser: (user_id: string) => Promise<Readonly<User> | undefined>,
  { user, session, support }: { user: Readonly<User>; session: Session; support: SupportSession },
): Promise<boolean> {
  const person = userIdOf(user);
  if (person === null) return false;
  const [account, records] = await Promise.all([
    readUser(support.operator),
    operators.find({ _id: { $in: [support.operator, person] } }).toArray(),
  ]);
  if (!account || !isActive(account) || hasEnded(account, session)) return false;
  if (records.some(({ _id }) => _id === person)) return false;
  const level = records.find(({ _id }) => _id === support.operator)?.level;
  return level === 'admin' || (level === 'support' && support.mode === 'read');
}

/**
 * Refuses a call that a support session may not make (CONTRACT.md §Support sessions).
 * @throws {AppError} supportSessionReadOnly or supportSessionRefused.
 */
export function refuseInSupportSession(request: FastifyRequest, { session }: { session: Session }): void {
  if (!session.support) return;
  const { operation, allowsSupport } = request.routeOptions.config ?? {};
  const access = operation?.allowsSupport ?? allowsSupport ?? (SAFE.has(request.method) ? 'read' : 'full');
  if (session.support.mode === 'read' && access !== 'read' && !SAFE.has(request.method))
    throw new AppError('supportSessionReadOnly');
  if (access === 'none') throw new AppError('supportSessionRefused');
}
