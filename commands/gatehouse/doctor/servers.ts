import type { Config } from '@gatehouse/shared/config';
import { Redis } from 'ioredis';
import { createMailer } from '../../../services/user/mail/mailer.ts';
import { type Finding, fail, ok, warn } from './finding.ts';

const TIMEOUT = 5_000;

/** Whether the mail server takes a connection with these credentials. No mail is sent. */
export async function checkMail(config: Config<'user'>): Promise<Finding> {
  const mailer = createMailer(config);
  try {
    await mailer.verify();
    return ok('mail', 'the mail server accepts connections');
  } catch (error) {
    const advice =
      'check SMTP_URL, and that this machine may reach the server; until then nobody gets a code';
    return fail('mail', `the mail server refuses: ${(error as Error).message}`, advice);
  } finally {
    mailer.close();
  }
}

/** Whether the gateways can share their counters. */
export async function checkRedis({ REDIS_URL }: Config<'gateway'>): Promise<Finding> {
  if (REDIS_URL === undefined)
    return ok('Redis', 'not used: each gateway counts for itself, which is right for one gateway');
  const redis = new Redis(REDIS_URL, {
    lazyConnect: true,
    connectTimeout: TIMEOUT,
    retryStrategy: () => null,
  });
  // Without a listener, the client writes errors to the console.
  redis.on('error', () => {});
  try {
    await redis.connect();
    await redis.ping();
    return ok('Redis', 'answers');
  } catch (error) {
    const advice = 'check REDIS_URL and that Redis runs; until then each gateway counts limits for itself';
    return warn('Redis', `does not answer: ${(error as Error).message}`, advice);
  } finally {
    redis.disconnect();
  }
}
