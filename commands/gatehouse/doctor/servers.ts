import type { Config } from '@gatehouse/shared/config';
import { Redis } from 'ioredis';
import { createMailer } from '../../../services/user/mail/mailer.ts';
import { clockFinding } from './clock.ts';
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

/** Whether the gateways can share their counters, and agree with their clock. @param now returns Unix milliseconds. */
export async function checkRedis(
  { REDIS_URL }: Config<'gateway'>,
  now: () => number = Date.now,
): Promise<Finding[]> {
  if (REDIS_URL === undefined)
    return [ok('Redis', 'not used: each gateway counts for itself, which is right for one gateway')];
  const redis = new Redis(REDIS_URL, {
    lazyConnect: true,
    connectTimeout: TIMEOUT,
    retryStrategy: () => null,
  });
  // Without a listener, the client writes errors to the console.
  redis.on('error', () => {});
  try {
    await redis.connect();
    const asked = now();
    const [seconds, microseconds] = await redis.time();
    const said = Number(seconds) * 1_000 + Number(microseconds) / 1_000;
    return [ok('Redis', 'answers'), clockFinding('Redis clock', { asked, answered: now(), said })];
  } catch (error) {
    const advice = 'check REDIS_URL and that Redis runs; until then each gateway counts limits for itself';
    return [warn('Redis', `does not answer: ${(error as Error).message}`, advice)];
  } finally {
    redis.disconnect();
  }
}
