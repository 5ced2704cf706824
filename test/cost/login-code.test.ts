import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { enrolled } from '../fixtures/enrolled.ts';
import { eventually } from '../fixtures/eventually.ts';
import { postJson } from '../fixtures/http.ts';
import { newMember } from '../fixtures/members.ts';
import { type WatchedService, withUserService } from './with-user-service.ts';

let database: WatchedService['database'];
let clock: WatchedService['clock'];
let url: string;
withUserService(
  (started) => {
    ({ database, clock, url } = started);
  },
  // No mail server: what the mails say is tested elsewhere.
  { LOGIN_BY_CODE: 'on', TRUST_PROXY: 'loopback', SMTP_URL: 'smtp://127.0.0.1:1' },
);

let networks = 0;
const ADDRESSES: [string, () => Promise<{ email: string }>][] = [
  ['an active account', () => newMember(database.db)],
  ['an enrolled account', () => enrolled(database.db, clock)],
  ['an unverified account', () => newMember(database.db, { verified: false, account_status: 'paused' })],
  ['a disabled account', () => newMember(database.db, { account_status: 'disabled' })],
  ['no account', async () => ({ email: `nobody${networks}@example.com` })],
];

/** The answer of a call that is given while every read of an account waits, and the commands until then. */
async function withoutAccounts(path: string, body: object) {
  const { users } = database.db;
  const findOne = users.findOne.bind(users);
  const released = Promise.withResolvers<void>();
  const held = vi.spyOn(users, 'findOne').mockImplementation(async (...query: unknown[]) => {
    await released.promise;
    return findOne(...(query as Parameters<typeof findOne>));
  });
  onTestFinished(() => held.mockRestore());
  database.commands.length = 0;
  networks += 1;
  const answer = await postJson(`${url}/api/v1/auth/${path}`, body, {
    'x-forwarded-for': `198.51.${networks}.1`,
  });
  const commands = [...database.commands];
  const audited = database.db.auditEvents.countDocuments();
  released.resolve();
  await eventually(async () => (await database.db.auditEvents.countDocuments()) > (await audited));
  held.mockRestore();
  return { status: answer.status, body: answer.body, commands };
}
const told = ({ status, body, commands }: Awaited<ReturnType<typeof withoutAccounts>>) => ({
  status,
  keys: Object.keys(body.error ?? body),
  commands,
});

describe.each(ADDRESSES)('with the address of %s', (_, store) => {
  test('asking for a code is answered before the account is read', async () => {
    const { email } = await store();
    expect(told(await withoutAccounts('login/code', { email }))).toEqual({
      status: 200,
      keys: ['token', 'expires_in'],
      // Three budgets of a network and a mailbox, two of a day, and the code.
      commands: [...Array(5).fill('update'), 'insert'],
    });
  });

  test('a wrong code is answered before the account is read, for one write', async () => {
    const { email } = await store();
    await withoutAccounts('login/code', { email });
    expect(told(await withoutAccounts('login/code/verify', { email, code: '000000' }))).toEqual({
      status: 401,
      keys: ['code', 'message', 'details', 'timestamp', 'request_id'],
      commands: ['findAndModify'],
    });
  });

  test('a wrong code with the token costs one write more', async () => {
    const { email } = await store();
    const { token } = (await withoutAccounts('login/code', { email })).body;
    const answer = await withoutAccounts('login/code/verify', { email, code: '000000', token });
    expect(answer).toMatchObject({ status: 401, commands: ['findAndModify', 'findAndModify'] });
  });
});
