import { createFactorSecrets } from '@gatehouse/shared/data/secrets';
import { factorRecord } from '@gatehouse/shared/identity/second-factor';
import type { User } from '@gatehouse/shared/identity/user-record';
import { ACTIVE, findUserByEmail, isActive } from '@gatehouse/shared/identity/users';
import type { WithId } from 'mongodb';
import { type NewUser, newUser } from '../../../../services/user/import/new-user.ts';
import { checkPerson } from '../../../../services/user/import/person.ts';
import { emptyReport } from '../../../../services/user/import/report.ts';
import { writeBatch } from '../../../../services/user/import/write-batch.ts';
import type { Calls, SeedTarget } from './calls.ts';
import { pathOf, SeedError } from './read-seed.ts';
import type { SeedPerson } from './schema.ts';

/** Creates the accounts that do not exist. All but unverified ones are active until `applyStates`. */
export async function createPeople(
  target: SeedTarget,
  calls: Calls,
  people: readonly SeedPerson[],
): Promise<void> {
  const { db, now } = target;
  const missing: NewUser[] = [];
  for (const [index, person] of people.entries()) {
    if (await findUserByEmail(db.users, person.email)) continue;
    if (person.state === 'unverified') await signUp(calls, index, person);
    else missing.push({ line: index, user: await newAccount(target, person, new Date(now())) });
  }
  const report = emptyReport();
  await writeBatch({ db, isDryRun: false, report }, missing);
  const [problem] = report.problems;
  if (problem) throw new SeedError(`${pathOf(['people', problem.line])}: ${problem.problem}`);
}

/** The operation itself, which mails the code. */
async function signUp(
  calls: Calls,
  index: number,
  { email, name = email, password }: SeedPerson,
): Promise<void> {
  const path = pathOf(['people', index]);
  if (password === undefined) throw new SeedError(`${path}.password: somebody who signs up has a password`);
  await calls.call(path, 'POST', '/v2/signup', { body: { email, name, password } });
}

/** The account that an import makes of a person, with a password of its own. */
async function newAccount(
  { passwords, userConfig }: SeedTarget,
  { email, name, password, plan, language }: SeedPerson,
  now: Date,
): Promise<User> {
  const person = {
    email,
    verified: true,
    name,
    language,
    ...(plan && { plan: { subscription_plan: plan } }),
  };
  const { user } = newUser(0, checkPerson(person), 'seed', now);
  const { imported: _, ...account } = user;
  if (password === undefined) return account;
  return { ...account, password: await passwords.encode(password, userConfig.PASSWORD_STORAGE) };
}

/** Gives active people what they have beyond an account, and then their state. */
export async function applyStates(
  target: SeedTarget,
  calls: Calls,
  people: readonly SeedPerson[],
): Promise<void> {
  for (const [index, person] of people.entries()) {
    const user = await findUserByEmail(target.db.users, person.email);
    if (!user || !isActive(user) || user.deletion) continue;
    const path = pathOf(['people', index]);
    if (person.totp !== undefined) await enroll(target, user, person.totp);
    if (person.operator !== undefined)
      await calls.asOperator(`${path}.operator`, 'PUT', `/api/v1/admin/operators/${user.user_id}`, {
        level: person.operator,
      });
    await changeState(target, calls, `${path}.state`, user, person.state);
  }
}

async function changeState(
  { db }: SeedTarget,
  calls: Calls,
  path: string,
  { _id, email, user_id }: WithId<User>,
  state: SeedPerson['state'],
): Promise<void> {
  if (state === 'disabled')
    await calls.asOperator(path, 'POST', `/api/v1/admin/people/${user_id}/disable`, {});
  // No operation pauses an account.
  if (state === 'paused')
    await db.users.updateOne({ _id, ...ACTIVE }, { $set: { account_status: 'paused' } });
  if (state === 'deleting') await calls.call(path, 'DELETE', '/api/v1/users/me', { as: email });
}

/** Enrolls an authenticator app whose secret is known; the operation draws one. */
async function enroll(
  { db, userConfig, now }: SeedTarget,
  user: WithId<User>,
  secret: string,
): Promise<void> {
  const id = `seed-${user.user_id}`;
  const sealed = createFactorSecrets(userConfig).seal(secret, factorRecord(id));
  await db.users.updateOne(
    { _id: user._id, second_factor: { $exists: false } },
    {
      $set: {
        second_factor: { id, secret: sealed, enrolled_at: new Date(now()), last_step: 0, recovery_codes: [] },
      },
    },
  );
}
