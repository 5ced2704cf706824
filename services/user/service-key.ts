import { createHash, timingSafeEqual } from 'node:crypto';
import { AppError } from '@gatehouse/shared/http/errors';
import { withoutScheme } from '@gatehouse/shared/identity/principal';
import type { FastifyRequest } from 'fastify';

const digest = (text: string) => createHash('sha256').update(text).digest();

/**
 * Lets the platform's services call a route, by the key that is theirs alone. It is no user's bearer, so the route
 * is `public` to the check of those; the gateway knows no path under /internal.
 */
export function requireServiceKey({ INTERNAL_API_KEY }: { INTERNAL_API_KEY?: string | undefined }) {
  const expected = INTERNAL_API_KEY === undefined ? undefined : digest(INTERNAL_API_KEY);
  return {
    config: { public: true },
    onRequest: async ({ headers: { authorization } }: FastifyRequest) => {
      if (!expected) throw new AppError('unavailable', { text: 'INTERNAL_API_KEY is not configured' });
      if (!authorization) throw new AppError('noAuthorizationHeader');
      // Digests are equally long, which a comparison in constant time asks for.
      if (!timingSafeEqual(digest(withoutScheme(authorization)), expected))
        throw new AppError('invalidToken');
    },
  };
}
