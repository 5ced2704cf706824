import type { FastifyRequest } from 'fastify';

type Call = Pick<FastifyRequest, 'method' | 'url'>;

const LOGOUT = /^\/(?:api\/v1\/)?auth\/logout(?:\?|$)/;
const SESSIONS = /^\/api\/v1\/users\/me\/sessions(?:[/?]|$)/;

/** Whether a call ends sessions of the caller by their id. */
export const deletesSessions = ({ method, url }: Call): boolean => method === 'DELETE' && SESSIONS.test(url);

/** Whether a call ends sessions of the caller. */
export const endsSession = (call: Call): boolean =>
  deletesSessions(call) || (call.method === 'POST' && LOGOUT.test(call.url));
