import type { Config } from '@gatehouse/shared/config';
import { beginSession, type LoginContract } from '@gatehouse/shared/identity/begin-session';
import { createTokens } from '@gatehouse/shared/identity/tokens';
import { findUserByEmail, isActive } from '@gatehouse/shared/identity/users';
import Fastify from 'fastify';
import type { Database } from '../../../services/user/database.ts';

export interface IssuedSession {
  token: string;
  /** Seconds for which the token is valid. */
  lifetime: number;
  user_id: string | null;
}

interface Login {
  email: string;
  contract: LoginContract;
  mfa: boolean;
}

/** Begins sessions by the code that ends every login, without a password. It listens nowhere. */
export function createIssuer({
  config,
  db,
  now,
}: {
  config: Pick<Config<'login'>, 'JWT_SECRET' | 'SESSION_IDLE_MINUTES'>;
  db: Database;
  now: () => number;
}) {
  const app = Fastify();
  const tokens = createTokens(config);
  app.post<{ Body: Login }>('/', async (request) => {
    const { email, contract, mfa } = request.body;
    const user = await findUserByEmail(db.users, email);
    if (!user) throw new Error(`${email} has no account`);
    if (!isActive(user))
      throw new Error(
        `${email} cannot sign in: the account is ${user.verified ? user.account_status : 'unverified'}`,
      );
    const began = now();
    return beginSession({ db, tokens, now, request }, user, { began, contract, mfa, way: 'password' });
  });
  return {
    /** @throws when the account is missing or cannot act. */
    async issue(
      email: string,
      { contract = 'catalogue', mfa = false }: Partial<Omit<Login, 'email'>> = {},
    ): Promise<IssuedSession> {
      const payload: Login = { email, contract, mfa };
      const headers = { 'user-agent': 'Gatehouse test kit' };
      const response = await app.inject({ method: 'POST', url: '/', payload, headers });
      if (response.statusCode !== 200) throw new Error(response.json().message);
      return response.json();
    },
    close: () => app.close(),
  };
}

export type Issuer = ReturnType<typeof createIssuer>;
