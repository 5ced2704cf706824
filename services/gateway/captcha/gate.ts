import { createHash } from 'node:crypto';
import type { GatewayConfig } from '@gatehouse/shared/config';
import { isDuplicateKey } from '@gatehouse/shared/data/connect';
import { AppError } from '@gatehouse/shared/http/errors';
import type { Database } from '../database.ts';
import { altcha } from './altcha.ts';
import { CHALLENGE_LIFETIME } from './provider.ts';
import { siteverify } from './siteverify.ts';

/** Admits one login for a token. @throws {AppError} captchaFailed */
export type CaptchaGate = (token: string | undefined, address: string, now: number) => Promise<void>;

/** @param timeout milliseconds for the provider's whole response. */
export function createCaptchaGate(config: GatewayConfig, db: Database, timeout: number): CaptchaGate {
  if (config.CAPTCHA_PROVIDER === 'none') return async () => {};
  const verify =
    config.CAPTCHA_PROVIDER === 'altcha'
      ? altcha(config)
      : siteverify(config, config.CAPTCHA_PROVIDER, timeout);
  return async (token, address, now) => {
    if (!token) throw new AppError('captchaFailed');
    const challenge = await verify(token, address, now).catch((cause) => {
      throw new AppError('captchaFailed', { cause });
    });
    if (challenge === undefined) throw new AppError('captchaFailed');
    await redeem(db, challenge, now);
  };
}

/** Marks a challenge as used. The unique `_id` makes a replay fail at every gateway. */
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
