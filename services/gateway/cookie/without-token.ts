import { Readable } from 'node:stream';
import { AppError } from '@gatehouse/shared/http/errors';
import type { Tokens } from '@gatehouse/shared/identity/tokens';
import type { Facts } from '@gatehouse/shared/operation/operation';
import { readText } from '../request-json.ts';
import { sessionCookie } from './session-cookie.ts';

/** Bytes; a token has one or two thousand. */
const MAX_BYTES = 64 * 1024;

/**
 * Moves the token of an answer into a cookie that lives as long as the token.
 * @param payload what a service answered with 200.
 * @param options.now Unix milliseconds.
 * @throws {AppError} unavailable if it holds no valid token: nothing of it reaches the client.
 */
export async function withoutToken(
  payload: unknown,
  { operation, tokens, now }: { operation: Pick<Facts, 'contract'>; tokens: Tokens; now: number },
): Promise<{ cookie: string; body: string }> {
  const text = payload instanceof Readable ? await readText(payload, MAX_BYTES) : String(payload);
  const answer = JSON.parse(text);
  const isDirect = operation.contract === 'direct';
  const { [isDirect ? 'token' : 'access_token']: token, ...rest } = answer;
  const check = tokens.verify(String(token), now);
  if (!check.ok)
    throw new AppError('unavailable', { cause: new Error('a login was answered without a token') });
  return {
    cookie: sessionCookie(token, check.claims.exp - Math.floor(now / 1000)),
    body: JSON.stringify(isDirect ? rest : { ...rest, token_type: 'Cookie' }),
  };
}
