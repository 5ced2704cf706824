import type { User } from '@gatehouse/shared/identity/user-record';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { enrolled } from '../../fixtures/enrolled.ts';
import { postForm } from '../../fixtures/http.ts';
import { newMember } from '../../fixtures/members.ts';
import { adminCaller } from '../../fixtures/operators.ts';
import { type Services, startServices } from '../../fixtures/services.ts';

let services: Services;
let support: Awaited<ReturnType<typeof adminCaller>>;
beforeAll(async () => {
  services = await startServices();
  support = await adminCaller(services, 'support');
});
afterAll(() => services.stop());

interface Found {
  finding: string;
  severity: string;
  text: string;
  advice: string | null;
}

async function diagnose(person_id: string): Promise<Found[]> {
  const { status, body } = await support.call('GET', `/people/${person_id}/login-diagnosis`);
  expect(status).toBe(200);
  return body.data;
}

const at = (ahead: number) => new Date(services.clock.now() + ahead);
const deletion = (fields: object = {}) => ({
  requested_at: at(0),
  due_at: at(86_400_000),
  next: at(86_400_000),
  ...fields,
});

/** What is wrong with an account, and what is found. */
const ROWS: [finding: string, severity: string, fields: () => Partial<User>][] = [
  ['deletion_begun', 'blocks', () => ({ deletion: deletion({ begun_at: at(0) }) })],
  ['disabled', 'blocks', () => ({ account_status: 'disabled' })],
  [
    'disabled_by_directory',
    'blocks',
    () => ({ account_status: 'disabled', deprovisioned: { by: 'sso:gone', account_status: 'active' } }),
  ],
  ['not_verified', 'blocks', () => ({ verified: false, account_status: 'paused' })],
  ['paused', 'warns', () => ({ account_status: 'paused' })],
  ['deletion_requested', 'warns', () => ({ deletion: deletion() })],
];

test.each(ROWS)('finds %s, which %s', async (finding, severity, fields) => {
  const { user_id = '' } = await newMember(services.db, fields());
  const found = await diagnose(user_id);
  expect(found.filter((each) => each.finding === finding)).toEqual([
    { finding, severity, text: expect.stringMatching(/^[A-Z].*\.$/), advice: expect.stringMatching(/\.$/) },
  ]);
});

test('finds nothing that blocks a healthy account, and says how to log in', async () => {
  const { user_id = '' } = await newMember(services.db);
  expect(await diagnose(user_id)).toEqual([
    { finding: 'ways', severity: 'info', text: 'Ways to log in: password.', advice: null },
    { finding: 'last_login', severity: 'info', text: 'No login is known.', advice: null },
  ]);
});

test('says until when a second factor is locked', async () => {
  const { user_id = '', _id } = await enrolled(services.db, services.clock);
  const now = Math.floor(services.clock.now() / 1000);
  await services.db.users.updateOne({ _id }, { $set: { factor_guesses: Array(5).fill(now) } });
  const [first] = await diagnose(user_id);
  expect(first).toMatchObject({ finding: 'factor_locked', severity: 'blocks' });
});

test('shows refused attempts, and warns after three within an hour', async () => {
  const { email, user_id = '' } = await newMember(services.db);
  for (let attempt = 0; attempt < 3; attempt += 1)
    await postForm(`${services.login}/v2/login`, { email, password: 'wrong' });
  const found = await diagnose(user_id);
  expect(found.map(({ finding }) => finding)).toEqual([
    'logins_refused',
    'ways',
    'last_login',
    'attempt',
    'attempt',
    'attempt',
  ]);
  expect(found.at(-1)?.text).toContain('wrong password');
});

test('answers 404 for a person that does not exist, and 403 to a person who is no operator', async () => {
  const person = await adminCaller(services);
  const path = '/people/User-999999/login-diagnosis';
  expect((await support.call('GET', path)).status).toBe(404);
  expect((await person.call('GET', path)).status).toBe(403);
});
