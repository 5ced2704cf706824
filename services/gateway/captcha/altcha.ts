import { createHmac } from 'node:crypto';
import type { GatewayConfig } from '@gatehouse/shared/config';
import { type Challenge, createChallenge, verifySolution } from 'altcha-lib';
import { deriveKey } from 'altcha-lib/algorithms/pbkdf2';
import { z } from 'zod';
import { CHALLENGE_LIFETIME, type VerifyCaptcha } from './provider.ts';

/** About 256 key derivations of 1 to 2 ms: less than a second in a browser, for every login that a bot tries. */
const PROOF_OF_WORK = { algorithm: 'PBKDF2/SHA-256', cost: 5_000, keyPrefix: '00' };

const payload = z.object({
  challenge: z.object({ parameters: z.record(z.string(), z.unknown()), signature: z.string() }),
  solution: z.object({ counter: z.int(), derivedKey: z.string() }),
});

type Secret = Pick<GatewayConfig, 'CAPTCHA_SECRET'>;

/** A derived key: CAPTCHA_SECRET itself signs nothing. */
const signingSecret = ({ CAPTCHA_SECRET }: Secret): string =>
  createHmac('sha256', CAPTCHA_SECRET).update('altcha challenge').digest('hex');

/** Verifies a proof of work whose challenge this gateway signed (ALTCHA v2). */
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
    const unexpired = Number(challenge.parameters.expiresAt) * 1000 > now;
    return verified && unexpired ? challenge.signature : undefined;
  };
}

/** @param now Unix milliseconds. */
export async function signChallenge(config: Secret, now: number) {
  const { parameters, signature = '' } = await createChallenge({
    ...PROOF_OF_WORK,
    deriveKey,
    expiresAt: Math.floor((now + CHALLENGE_LIFETIME) / 1000),
    hmacSignatureSecret: signingSecret(config),
  });
  return { parameters: { ...parameters }, signature };
}
