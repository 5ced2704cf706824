import type { Config } from '@gatehouse/shared/config';
import { emailKey } from '@gatehouse/shared/identity/email';
import type { Outbound } from '@gatehouse/shared/outbound/outbound';
import { reasonOf } from '@gatehouse/shared/outbound/reason';
import type { FastifyRequest } from 'fastify';
import { Counter, type Registry } from 'prom-client';
import { request as call } from 'undici';
import { z } from 'zod';

/** Milliseconds for an answer of the old system, from dialing to its end. */
const TIMEOUT = 3_000;
/** Bytes of an answer. A person takes less than one KiB. */
const MAX_ANSWER = 64 * 1024;

const text = z.string().max(1_000).nullish();

/** What the old system says about a person whose password is right (CONTRACT.md §Logins of an old system). */
const answer = z.object({
  /** Never a string: the text "false" would verify an address. */
  email_verified: z.boolean(),
  /** The address that was asked, so that a session or a default of the old system cannot answer for somebody else. */
  email: z.string().max(1_000),
  id: z.union([z.string().max(1_000), z.number()]).nullish(),
  user_id: text,
  name: text,
  phone: text,
  company: text,
  language: text,
});

export type LegacyPerson = z.output<typeof answer>;

interface Options {
  config: Pick<Config<'user'>, 'LEGACY_LOGIN_URL' | 'LEGACY_LOGIN_TOKEN'>;
  outbound: Outbound;
  metrics: Registry;
  /** Milliseconds. Tests inject others. */
  timeout?: number | undefined;
}

/** Statuses that mean: no such person, the password is wrong, or they may not log in. */
const REFUSALS = [401, 403, 404];

type Result = 'moved' | 'unknown' | 'failed';

/** The old system answered, but not as agreed. */
class AnswerError extends Error {}

/** Returns how the system that people move from is asked, and how what came of it is counted. */
export function createOldSystem({ config, outbound, metrics, timeout = TIMEOUT }: Options) {
  const { LEGACY_LOGIN_URL: url, LEGACY_LOGIN_TOKEN: token } = config;
  const questions = new Counter({
    name: 'legacy_logins_total',
    help: 'Logins of addresses without an account that were asked at LEGACY_LOGIN_URL, by result',
    labelNames: ['result'],
    registers: [metrics],
  });
  const count = (result: Result) => questions.inc({ result });

  /**
   * Asks about a person.
   * @returns null if the old system does not let them in, undefined if it does not say; this is logged and counted.
   */
  async function ask(
    { ip, log }: Pick<FastifyRequest, 'ip' | 'log'>,
    { email, password }: { email: string; password: string },
  ): Promise<LegacyPerson | null | undefined> {
    try {
      const { statusCode, body } = await call(url as string, {
        method: 'POST',
        dispatcher: outbound.agent,
        headers: {
          authorization: `Bearer ${token}`,
          'content-type': 'application/json',
          accept: 'application/json',
          // For the limits of the old system.
          'x-forwarded-for': ip,
        },
        body: JSON.stringify({ email, password }),
        signal: AbortSignal.timeout(timeout),
      });
      if (statusCode !== 200) {
        // Its AbortError has no other listener.
        body.once('error', () => {}).destroy();
        if (!REFUSALS.includes(statusCode)) throw new AnswerError(`the answer has status ${statusCode}`);
        count('unknown');
        return null;
      }
      return personOf(await body.text(), email);
    } catch (error) {
      const reason = error instanceof AnswerError ? error.message : reasonOf(error as Error);
      log.error({ reason }, 'the old system at LEGACY_LOGIN_URL has not answered as agreed');
      count('failed');
      return undefined;
    }
  }
  return { ask, count };
}

export type OldSystem = ReturnType<typeof createOldSystem>;

/** @throws {AnswerError} */
function personOf(received: string, asked: string): LegacyPerson {
  if (received.length > MAX_ANSWER) throw new AnswerError('the answer is too long');
  let json: unknown;
  try {
    json = JSON.parse(received);
  } catch {
    throw new AnswerError('the answer is not JSON');
  }
  const { data, error } = answer.safeParse(json);
  if (!data)
    throw new AnswerError(`in the answer, ${String(error.issues[0]?.path.join('.'))} is not as agreed`);
  // Whoever answers for another address does not answer the question.
  if (emailKey(data.email) !== emailKey(asked)) throw new AnswerError('the answer is about another address');
  return data;
}
