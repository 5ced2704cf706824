import type { AppError } from '@gatehouse/shared/http/errors';
import { type FailurePage, failurePage } from '@gatehouse/shared/http/failure-page';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Connection } from '../connection-records.ts';
import { SsoRefusal } from '../refusal.ts';
import type { SamlConnection } from './service-provider.ts';

export const slug = z.string().meta({ description: 'Names the connection', examples: ['acme'] });

/** The page says what to do next, also after a form that cannot be read. */
export const errorPage = (failure: AppError, request: FastifyRequest): FailurePage | undefined => {
  const isUnread = failure.status === 400 && !(failure instanceof SsoRefusal);
  return failurePage(isUnread ? new SsoRefusal('message malformed', failure.message) : failure, request);
};

/** A person who reads this may still be signed in. */
export const logoutErrorPage = (failure: AppError, request: FastifyRequest): FailurePage | undefined =>
  failurePage(failure.status < 500 ? new SsoRefusal('logout refused') : failure, request, 'logout');

/** Narrows a connection whose query asked for this protocol. */
export function asSaml(connection: Connection): SamlConnection {
  const { protocol, saml } = connection;
  if (protocol !== 'saml' || !saml)
    throw new Error(`connection ${connection.connection_id} has no SAML settings`);
  return { ...connection, protocol, saml };
}
