import { createHash, timingSafeEqual } from 'node:crypto';
import { AppError } from '@gatehouse/shared/http/errors';
import { withoutScheme } from '@gatehouse/shared/identity/principal';
import type { FastifyRequest } from 'fastify';

const digest = (text: string) => createHash('sha256').update(text).digest();

/**
 * Returns the check of INTERNAL_API_KEY, the bearer of the platform's own services. It is not a user's token. The
 * gateway does not route /internal.
 */
export function checkServiceKey({ INTERNAL_API_KEY }: { INTERNAL_API_KEY?: string | undefined }) {
  const expected = INTERNAL_API_KEY === undefined ? undefined : digest(INTERNAL_API_KEY);
  return async ({ headers: { authorization } }: FastifyRequest): Promise<void> => {
    if (!expected) throw new AppError('unavailable', { text: 'INTERNAL_API_KEY is not configured' });
    if (!authorization) throw new AppError('noAuthorizationHeader');
    // timingSafeEqual needs inputs of equal length.
    if (!timingSafeEqual(digest(withoutScheme(authorization)), expected)) throw new AppError('invalidToken');
  };
}
