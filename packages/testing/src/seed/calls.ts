import type { PracticeIdp } from '@gatehouse/practice-idp/practice-idp';
import type { Config } from '@gatehouse/shared/config';
import type { Passwords } from '@gatehouse/shared/identity/passwords';
import { buildUserService } from '../../../../services/user/app.ts';
import type { Database } from '../../../../services/user/database.ts';
import { createMailer } from '../../../../services/user/mail/mailer.ts';
import type { Issuer } from '../issue-sessions.ts';
import { SeedError } from './read-seed.ts';

/** What seeding needs: a running user service, and its database. */
export interface SeedTarget {
  /** The address of the user service. */
  user: string;
  userConfig: Config<'user'>;
  db: Database;
  passwords: Passwords;
  issuer: Issuer;
  /** Unix milliseconds. */
  now: () => number;
  practice: PracticeIdp['connections'] | undefined;
}

type Answer = Record<string, unknown>;

/** Makes calls of the API as people and as an operator. @throws {SeedError} that begins with the given path. */
export function createCalls({ user, userConfig, db, issuer, now }: SeedTarget) {
  const tokens = new Map<string, string>();
  let operator: ReturnType<typeof openOperator> | undefined;

  async function openOperator() {
    const mailer = createMailer(userConfig);
    const app = await buildUserService({
      config: { ...userConfig, LOG_LEVEL: 'silent' },
      ...{ db, mailer, now, isCommandLine: true },
    });
    return { app, mailer };
  }

  async function tokenOf(email: string): Promise<string> {
    const token = tokens.get(email) ?? (await issuer.issue(email)).token;
    tokens.set(email, token);
    return token;
  }

  const answerOf = (status: number, text: string, path: string): Answer => {
    const answer = text === '' ? {} : JSON.parse(text);
    if (status < 300) return answer;
    throw new SeedError(`${path}: ${answer.error?.message ?? answer.detail ?? text}`);
  };

  return {
    /** Calls an operation of the user service. @param as the e-mail address of the caller, or nobody. */
    async call(path: string, method: string, url: string, { as, body }: { as?: string; body?: object } = {}) {
      const authorization =
        as &&
        (await tokenOf(as).catch((error) => {
          throw new SeedError(`${path}: ${error.message}`);
        }));
      const isForm = url.startsWith('/v2/');
      const response = await fetch(`${user}${url}`, {
        method,
        headers: {
          ...(authorization && { authorization: `Bearer ${authorization}` }),
          ...(body && !isForm && { 'content-type': 'application/json' }),
        },
        ...(body && { body: isForm ? new URLSearchParams(Object.entries(body)) : JSON.stringify(body) }),
      });
      return answerOf(response.status, await response.text(), path);
    },
    /** Calls an operation of operators. */
    async asOperator(path: string, method: 'POST' | 'PUT', url: string, body: object) {
      operator ??= openOperator();
      const { app } = await operator;
      const payload = { reason: 'seed', ...body };
      const response = await app.inject({ method, url, payload });
      return answerOf(response.statusCode, response.body, path);
    },
    async close() {
      const { app, mailer } = (await operator) ?? {};
      await app?.close();
      mailer?.close();
    },
  };
}

export type Calls = ReturnType<typeof createCalls>;
