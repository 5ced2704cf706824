import { newEmail } from '@gatehouse/shared/contract/direct';
import { LEGACY_LOGIN, type LegacyVerdict, legacyLoginAnswer } from '@gatehouse/shared/contract/legacy-login';
import { AppError } from '@gatehouse/shared/http/errors';
import { createFairQueue, flowsOf } from '@gatehouse/shared/identity/fair-queue';
import { requiresSso } from '@gatehouse/shared/identity/sso';
import type { Tokens } from '@gatehouse/shared/identity/tokens';
import type { FastifyRequest } from 'fastify';
import PQueue from 'p-queue';
import { request as call } from 'undici';
import type { Database } from './database.ts';

/** Milliseconds for the answer of the user service, which waits three seconds for the old system. */
const TIMEOUT = 10_000;
/** Questions at a time, and those that wait. Each flow gets its share, as it does of hashes. */
const CONCURRENCY = 32;
const MAX_QUEUED = 256;

interface Options {
  config: { LEGACY_LOGIN_URL?: string | undefined; USER_SERVICE_URL: string };
  db: Database;
  tokens: Tokens;
  /** Returns Unix milliseconds. */
  now: () => number;
}

/**
 * Returns what has an address without an account asked at the system that people move from (CONTRACT.md §Logins of an
 * old system). It tells whether the address may have an account now.
 * @throws {AppError} unavailable if nobody can say: the old system's person must not be told to create an account.
 */
export function createLegacyLogin({ config, db, tokens, now }: Options) {
  const { LEGACY_LOGIN_URL, USER_SERVICE_URL } = config;
  const enqueue = createFairQueue(new PQueue({ concurrency: CONCURRENCY }), { maxQueued: MAX_QUEUED });

  return async (request: FastifyRequest, { email, password }: Credentials): Promise<boolean> => {
    if (LEGACY_LOGIN_URL === undefined || password === '' || !newEmail.safeParse(email).success) return false;
    // The organization of the domain decides where its people log in.
    if (await requiresSso(db, { email }, now())) return false;
    const body = { email, password, token: tokens.legacyLogin(email, now()) };
    const verdict = await enqueue(() => ask(USER_SERVICE_URL, request, body), flowsOf(request, email)).catch(
      (cause) => {
        throw cause instanceof AppError ? cause : new AppError('unavailable', { cause });
      },
    );
    if (verdict === 'unavailable') throw new AppError('unavailable');
    return verdict === 'moved';
  };
}

export type LegacyLogin = ReturnType<typeof createLegacyLogin>;

interface Credentials {
  email: string;
  password: string;
}

async function ask(
  base: string,
  { id, ip }: FastifyRequest,
  question: Credentials & { token: string },
): Promise<LegacyVerdict> {
  const { statusCode, body } = await call(`${base.replace(/\/$/, '')}${LEGACY_LOGIN}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-request-id': id, 'x-forwarded-for': ip },
    body: JSON.stringify(question),
    signal: AbortSignal.timeout(TIMEOUT),
  });
  const text = await body.text();
  if (statusCode !== 200) throw new Error(`the user service answers ${statusCode}`);
  return legacyLoginAnswer.parse(JSON.parse(text)).verdict;
}
