import { SESSION_CHECK, type SessionCheck, sessionCheck } from '@gatehouse/shared/contract/session-check';
import { AppError } from '@gatehouse/shared/http/errors';
import type { FastifyRequest } from 'fastify';
import { request as call } from 'undici';

/** Milliseconds for the answer of the user service, which asks a provider; the gateway waits 15 seconds. */
const TIMEOUT = 14_000;

const TEXT = 'Your identity provider could not be reached. Please try again in a few minutes.';

/**
 * Asks the user service, which asks the identity provider, whether a session may continue. The caller's own token is the
 * credential: the answer concerns no other session.
 * @throws {AppError} invalidToken or tokenExpired if it may not, unavailable if that is unknown.
 */
export async function checkSession(
  { USER_SERVICE_URL }: { USER_SERVICE_URL: string },
  request: FastifyRequest,
): Promise<Extract<SessionCheck, { verdict: 'continues' }>> {
  const answer = await ask(USER_SERVICE_URL, request).catch((cause) => {
    throw new AppError('unavailable', { cause });
  });
  // The session has ended since this service read the account.
  if (answer === undefined || answer.verdict === 'ended') throw new AppError('invalidToken');
  if (answer.verdict === 'expired') throw new AppError('tokenExpired');
  if (answer.verdict === 'unavailable') throw new AppError('unavailable', { text: TEXT });
  return answer as Extract<SessionCheck, { verdict: 'continues' }>;
}

/** @returns undefined when the user service refuses the token. */
async function ask(base: string, { id, ip, headers }: FastifyRequest): Promise<SessionCheck | undefined> {
  const { statusCode, body } = await call(`${base.replace(/\/$/, '')}${SESSION_CHECK}`, {
    method: 'POST',
    headers: { authorization: String(headers.authorization), 'x-request-id': id, 'x-forwarded-for': ip },
    signal: AbortSignal.timeout(TIMEOUT),
  });
  const text = await body.text();
  if (statusCode === 401) return undefined;
  if (statusCode !== 200) throw new Error(`the user service answers ${statusCode}`);
  return sessionCheck.parse(JSON.parse(text));
}
