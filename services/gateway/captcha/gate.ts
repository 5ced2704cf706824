import { createHash } from 'node:crypto';
import type { GatewayConfig } from '@gatehouse/shared/config';
import { isDuplicateKey } from '@gatehouse/shared/data/connect';
import { AppError } from '@gatehouse/shared/http/errors';
import type { Database } from '../database.ts';
import { altcha } from './altcha.ts';
import { siteverify } from './siteverify.ts';

/** Milliseconds for which a challenge may be answered (spec §Authentication 6). */
export const CHALLENGE_LIFETIME = 120_000;

/**
 * One provider's judgement of a token.
 * @returns what makes the solved challenge unique, however its token is spelled; nothing when it is refused.
 */
export type VerifyCaptcha = (token: string, address: string, now: number) => Promise<string | undefined>;

/** Lets a login pass or throws {AppError} captchaFailed. */
export type CaptchaGate = (token: string | undefined, address: string, now: number) => Promise<void>;

export function createCaptchaGate(config: GatewayConfig, db: Database): CaptchaGate {
  if (config.CAPTCHA_PROVIDER === 'none') return async () => {};
  const judge =
    config.CAPTCHA_PROVIDER === 'altcha' ? altcha(config) : siteverify(config, config.CAPTCHA_PROVIDER);
  return async (token, address, now) => {
    if (!token) throw new AppError('captchaFailed');
    const challenge = await judge(token, address, now).catch((cause) => {
      throw new AppError('captchaFailed', { cause });
    });
    if (challenge === undefined) throw new AppError('captchaFailed');
    await redeem(db, challenge, now);
  };
}

/** Uses a challenge up, for every gateway at once: the second one to insert it loses. */
async function redeem(db: Database, challenge: string, now: number): Promise<void> {
  try {
    await db.captchaRedemptions.insertOne({
      _id: createHash('sha256').update(challenge).digest('base64url'),
      expires_at: new Date(now + 2 * CHALLENGE_LIFETIME),
    });
  } catch (error) {
    if (isDuplicateKey(error)) throw new AppError('captchaFailed', { cause: 'replayed' });
    throw error;
  }
}
