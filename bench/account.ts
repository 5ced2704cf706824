import { connect } from '@gatehouse/shared/data/connect';
import { ARGON2ID } from '@gatehouse/shared/identity/passwords';
import { hash } from '@node-rs/argon2';
import { COLLECTIONS } from '../services/user/database.ts';
import { send } from '../test/fixtures/http.ts';

export const PERSON = {
  email: 'bench@example.com',
  password: 'correct horse battery staple',
  user_id: 'User-100000',
};

/** Inserts one active account. @returns its password hash. */
export const createAccount = (mongodb: string, account = PERSON): Promise<string> =>
  createAccounts(mongodb, [account]);

/** Inserts active accounts with one password. @returns its hash. */
export async function createAccounts(
  mongodb: string,
  accounts: Pick<typeof PERSON, 'email' | 'user_id'>[],
): Promise<string> {
  const password = await hash(PERSON.password, ARGON2ID);
  const db = await connect(mongodb, COLLECTIONS, { appName: 'bench' });
  await db.users.insertMany(
    accounts.map(({ email, user_id }) => ({
      email,
      user_id,
      password,
      name: 'Bench',
      verified: true,
      account_status: 'active',
      payment_status: 'pending',
      'user_created_at(DATE)': '2026-01-01',
      subscription_id: 'enterprise',
      subscription_plan: 'Enterprise',
      subscription_date: '2026-01-01',
    })),
  );
  await db.close();
  return password;
}

/** Logs an account in at the login service. @returns the value of `Authorization`. */
export async function bearer(loginService: string, { email } = PERSON): Promise<string> {
  const { password } = PERSON;
  const { body } = await send(`${loginService}/api/v1/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email, password }),
  });
  return `Bearer ${body.access_token}`;
}
