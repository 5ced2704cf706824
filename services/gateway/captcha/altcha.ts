import { createHmac } from 'node:crypto';
import type { GatewayConfig } from '@gatehouse/shared/config';
import { failures } from '@gatehouse/shared/http/errors';
import { type Challenge, createChallenge, verifySolution } from 'altcha-lib';
import { deriveKey } from 'altcha-lib/algorithms/pbkdf2';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { CHALLENGE_LIFETIME, type VerifyCaptcha } from './gate.ts';

/** About 256 derivations of a millisecond or two: under a second in a browser, seconds for a bot's every guess. */
const WORK = { algorithm: 'PBKDF2/SHA-256', cost: 5_000, keyPrefix: '00' };

const payload = z.object({
  challenge: z.object({ parameters: z.record(z.string(), z.unknown()), signature: z.string() }),
  solution: z.object({ counter: z.int(), derivedKey: z.string() }),
});

type Secret = Pick<GatewayConfig, 'CAPTCHA_SECRET'>;

/** Challenges are signed with a key of their own, so that the secret may serve elsewhere too. */
const signingSecret = ({ CAPTCHA_SECRET }: Secret): string =>
  createHmac('sha256', CAPTCHA_SECRET).update('altcha challenge').digest('hex');

/** A proof of work that this gateway set itself (ALTCHA v2): right, signed by us, in time. */
export function altcha(config: Secret): VerifyCaptcha {
  const hmacSignatureSecret = signingSecret(config);
  return async (token, _address, now) => {
    const { challenge, solution } = payload.parse(JSON.parse(Buffer.from(token, 'base64').toString('utf8')));
    const { verified } = await verifySolution({
      challenge: challenge as unknown as Challenge,
      solution,
      deriveKey,
      hmacSignatureSecret,
    });
    const withTimeout = Number(challenge.parameters.expiresAt) * 1000 > now;
    return verified && withTimeout ? challenge.signature : undefined;
  };
}

/** GET /captcha/challenge: what the widget, or `npm run captcha`, solves. */
export const altchaChallenge: FastifyPluginAsyncZod<{ config: Secret; now: () => number }> = async (
  app,
  { config, now },
) => {
  const hmacSignatureSecret = signingSecret(config);
  app.get(
    '/captcha/challenge',
    {
      config: { public: true },
      schema: {
        tags: ['account'],
        summary: 'A proof of work to solve before logging in',
        description:
          'An ALTCHA v2 challenge, good for two minutes and one login. The solved payload goes into `recaptcha_token`.',
        response: {
          200: z
            .object({ parameters: z.record(z.string(), z.unknown()), signature: z.string() })
            .meta({ description: 'The challenge, signed' }),
          ...failures('catalogue', 'rateLimited'),
        },
      },
    },
    async (_request, reply) => {
      reply.header('cache-control', 'no-store');
      const { parameters, signature = '' } = await createChallenge({
        ...WORK,
        deriveKey,
        expiresAt: Math.floor((now() + CHALLENGE_LIFETIME) / 1000),
        hmacSignatureSecret,
      });
      return { parameters: { ...parameters }, signature };
    },
  );
};
