import { errors } from 'jose';
import {
  AuthorizationResponseError,
  ClientError,
  ResponseBodyError,
  WWWAuthenticateChallengeError,
} from 'openid-client';
import { SsoRefusal } from '../refusal.ts';

/** The message cannot be read, by the codes of openid-client. */
const MALFORMED = new Set([
  'OAUTH_PARSE_ERROR',
  'OAUTH_RESPONSE_IS_NOT_JSON',
  'OAUTH_RESPONSE_IS_NOT_CONFORM',
  'OAUTH_MISSING_SERVER_METADATA',
  'OAUTH_INVALID_SERVER_METADATA',
]);

/** Characters. Providers write some of them. */
const MAX_DETAIL = 500;

/**
 * Returns why a login is refused when openid-client or jose rejects a message; other errors unchanged. The causes of
 * openid-client hold tokens, so only their texts are kept.
 */
export function refusalOf(error: unknown): unknown {
  const chain = [...causes(error)];
  const ours = chain.find((cause) => cause instanceof SsoRefusal);
  if (ours) return ours;
  if (error instanceof AuthorizationResponseError || error instanceof ResponseBodyError)
    return new SsoRefusal('provider refused', describe(error));
  if (error instanceof WWWAuthenticateChallengeError)
    return new SsoRefusal('provider refused', `${error.response.url} ${error.message}`.trim());
  const detail = chain
    .map(({ message }) => message)
    .join(': ')
    .slice(0, MAX_DETAIL);
  const code = codeOf(error);
  if (error instanceof ClientError || code.startsWith('OAUTH_'))
    return new SsoRefusal(MALFORMED.has(code) ? 'message malformed' : 'message refused', detail);
  if (error instanceof errors.JOSEError) return new SsoRefusal('message refused', detail);
  // openid-client, jose and Web Crypto throw these for keys and values of another type than expected.
  if (error instanceof TypeError || error instanceof DOMException)
    return new SsoRefusal('message refused', detail, error);
  return error;
}

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';

function* causes(error: unknown): Generator<Error> {
  for (let cause = error; cause instanceof Error; cause = cause.cause) yield cause;
}

const describe = ({ error, error_description }: { error: string; error_description?: string }) =>
  (error_description ? `${error}: ${error_description}` : error).slice(0, MAX_DETAIL);
