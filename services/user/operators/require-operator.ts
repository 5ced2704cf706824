import type { Config } from '@gatehouse/shared/config';
import { AppError } from '@gatehouse/shared/http/errors';
import { isEnrolled } from '@gatehouse/shared/identity/enrolled';
import type { Operator } from '@gatehouse/shared/identity/operators';
import { callerId, principalOf, requireFactor } from '@gatehouse/shared/identity/principal';
import { hasPasskey } from '@gatehouse/shared/identity/ways-in';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import type { Database } from '../database.ts';
import { commandLineOperator } from './command-line.ts';

declare module 'fastify' {
  interface FastifyRequest {
    operator: Operator | undefined;
  }
}

interface Options {
  config: Pick<Config<'user'>, 'NODE_ENV'>;
  db: Database;
  now: () => number;
}

/**
 * Requires an operator of the level that the operation needs, before anything else of the call is read. The record is
 * read at each call, so that a removed operator is refused at once. In production the session must have a second factor.
 */
export const requireOperator = fp(async (app: FastifyInstance, { config, db, now }: Options) => {
  app.decorateRequest('operator', undefined);
  app.addHook('onRequest', async (request) => {
    request.operator = commandLineOperator(request);
    if (request.operator) return;
    const operator = await db.operators.findOne({ _id: callerId(request) });
    const needed = request.routeOptions.config.operation?.needs;
    const isAllowed = operator?.level === 'admin' || needed === 'support operator';
    if (!operator || !isAllowed) throw new AppError('forbidden');
    if (config.NODE_ENV === 'production') requireFactorOf(request, now());
    request.operator = operator;
  });
});

/**
 * A key was made in a session with a second factor, and its owner must still have one.
 * @throws {AppError} operatorFactorRequired
 */
function requireFactorOf(request: FastifyRequest, now: number): void {
  const { user, key } = principalOf(request);
  if (!key) requireFactor(request, now);
  else if (!isEnrolled(user, now) && !hasPasskey(user))
    throw new AppError('operatorFactorRequired', { details: { methods: [] } });
}

/** The caller as an operator, on a route of the admin API. */
export function operatorOf(request: FastifyRequest): Operator {
  if (!request.operator) throw new Error('the route is not for operators');
  return request.operator;
}
