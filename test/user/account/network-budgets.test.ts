import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  spendActivation,
  spendAddressMail,
  spendCodeMail,
} from '../../../services/user/account/network-budgets.ts';
import { outcome } from '../../fixtures/envelope.ts';
import { type Answered, postForm } from '../../fixtures/http.ts';
import { mailedCode, testConfig } from '../../fixtures/services.ts';
import { startTwoInstances, type TwoInstances } from '../instances.ts';
import { otherThan, unverifiedAccount } from './codes.ts';

const LIMITS = {
  MAILS_PER_NETWORK_PER_HOUR: '3',
  MAILS_PER_MAILBOX_PER_HOUR: '2',
  ACTIVATIONS_PER_NETWORK_PER_HOUR: '2',
};
let services: TwoInstances;
beforeAll(async () => {
  services = await startTwoInstances({ PASSWORD_STORAGE: 'plain', TRUST_PROXY: 'loopback', ...LIMITS });
});
afterAll(() => services.stop());

const from = (address: string) => ({ 'x-forwarded-for': address });
/** Calls the instances of the user service in turns. */
let calls = 0;
const post = (operation: string, fields: Record<string, string>, address: string) =>
  postForm(`${services.instances[calls++ % 2]}/v2/${operation}`, fields, from(address));
let people = 0;
const newEmail = () => `signup${++people}@example.com`;
const signUp = (address: string, email = newEmail()) =>
  post('signup', { email, password: 'secret', name: 'Ada' }, address);
const forgot = (address: string, email: string) => post('forgot-password', { email }, address);
const tooMany = { status: 429, body: { detail: 'Too many requests' } };
const succeeded = (answers: Answered[]) => answers.filter(({ status }) => status === 200).length;

describe('codes mailed for one network', () => {
  test('return 429 beyond the limit, at both operations, until an hour has passed', async () => {
    const known = await unverifiedAccount(services);
    expect((await signUp('198.51.100.1')).status).toBe(200);
    services.clock.advance(60);
    expect((await forgot('198.51.100.1', known.email)).status).toBe(200);
    expect((await signUp('198.51.100.1')).status).toBe(200);
    const email = newEmail();
    const refused = await signUp('198.51.100.1', email);
    expect(outcome(refused)).toStrictEqual(tooMany);
    expect(refused.headers.get('retry-after')).toBe('3540');
    expect(outcome(await forgot('198.51.100.1', known.email))).toStrictEqual(tooMany);
    expect(await services.db.users.findOne({ email })).toBeNull();
    expect((await signUp('198.51.100.2', email)).status).toBe(200);
    services.clock.advance(3540);
    expect((await signUp('198.51.100.1')).status).toBe(200);
  });

  test('are exactly the limit in a burst over two processes', async () => {
    expect(succeeded(await Promise.all(Array.from({ length: 12 }, () => signUp('198.51.100.3'))))).toBe(3);
    expect(outcome(await signUp('::ffff:198.51.100.3'))).toStrictEqual(tooMany);
  });

  test('are 4 times the limit for an IPv6 /56 and 16 times for a /48', async () => {
    const burst = (groups: number[]) =>
      Promise.all(groups.map((group) => signUp(`2001:db8:0:${group.toString(16)}::1`)));
    expect(succeeded(await burst(Array.from({ length: 15 }, (_, index) => index)))).toBe(12);
    const apart = Array.from({ length: 40 }, (_, index) => (index + 1) * 256);
    expect(succeeded(await burst(apart))).toBe(36);
    expect(outcome(await signUp('2001:db8:0:ffff::1'))).toStrictEqual(tooMany);
    expect((await signUp('2001:db8:1::1')).status).toBe(200);
  });

  test('do not include a call that mails nothing', async () => {
    const { email } = await unverifiedAccount(services, {
      otp_mails: Array.from({ length: 10 }, () => ({ at: services.clock.seconds(), network: '192.0.2.1' })),
    });
    for (let time = 0; time < 4; time += 1) {
      expect(outcome(await forgot('198.51.100.4', email))).toStrictEqual(tooMany);
      expect((await forgot('198.51.100.4', 'nobody@example.com')).status).toBe(404);
    }
    expect((await signUp('198.51.100.4')).status).toBe(200);
  });
});

test('counts codes by mailbox, whatever the tag, dots and network', async () => {
  const spellings = ['g.race+1@gmail.com', 'grace+2@googlemail.com', 'grac.e@gmail.com'];
  const answers: Answered[] = [];
  for (const [index, email] of spellings.entries()) answers.push(await signUp(`198.51.100.1${index}`, email));
  expect(answers.map(outcome)).toStrictEqual([
    { status: 200, body: { token: expect.any(String) } },
    { status: 200, body: { token: expect.any(String) } },
    tooMany,
  ]);
  expect((await signUp('198.51.100.13', 'grace@example.com')).status).toBe(200);
});

test('one network leaves codes of a mailbox to others, whatever the tags', async () => {
  const config = { ...testConfig('user', {}), NODE_ENV: 'production' as const };
  const ask = (ip: string, email: string) =>
    spendCodeMail({ config, db: services.db, ip, now: services.clock.now() }, email);
  const most = (addresses: string[], mailbox: string) =>
    Promise.allSettled(addresses.map((ip, tag) => ask(ip, `${mailbox}+${tag}@example.com`))).then(
      (answers) => answers.filter(({ status }) => status === 'fulfilled').length,
    );
  const stranger = Array.from({ length: 12 }, () => '198.51.100.30');
  expect(await most(stranger, 'lovelace')).toBe(5);
  const wide = Array.from({ length: 12 }, (_, group) => `2001:db8:30:${group * 256}::1`);
  expect(await most(wide, 'hopper')).toBe(8);
  for (const mailbox of ['lovelace', 'hopper']) {
    await ask('198.51.100.31', `${mailbox}@example.com`);
    await expect(
      ask(`${mailbox === 'hopper' ? wide[0] : stranger[0]}`, `${mailbox}@example.com`),
    ).rejects.toThrow('Too many requests');
  }
});

test('a code for another address is taken back from every budget', async () => {
  const config = { ...testConfig('user', {}), NODE_ENV: 'production' as const };
  const call = { config, db: services.db, ip: '198.51.100.40', now: services.clock.now() };
  const counted = () => services.db.budgets.countDocuments({ 'uses.0': { $exists: true } });
  const before = await counted();
  const takeBack = await spendAddressMail(call, 'account', 'taken-back@example.com');
  expect(await counted()).toBe(before + 7);
  await takeBack();
  expect(await counted()).toBe(before);
});

describe('activations for one network', () => {
  const verify = (address: string, { email, code }: { email: string; code: string }) =>
    post('verify-otp', { email, otp: code }, address);
  const accounts = (count: number) =>
    Promise.all(Array.from({ length: count }, () => unverifiedAccount(services)));

  test('return 429 beyond the limit, and the code stays valid', async () => {
    const [one, two, three] = (await accounts(3)) as [Account, Account, Account];
    expect((await verify('198.51.100.20', one)).status).toBe(200);
    expect((await verify('198.51.100.20', two)).status).toBe(200);
    const refused = await verify('198.51.100.20', three);
    expect(outcome(refused)).toStrictEqual(tooMany);
    expect(refused.headers.get('retry-after')).toBe('3600');
    expect((await verify('198.51.100.20', one)).status).toBe(200);
    expect((await verify('198.51.100.21', three)).status).toBe(200);
  });

  test('do not include wrong codes', async () => {
    const [account] = (await accounts(1)) as [Account];
    for (let time = 1; time <= 3; time += 1) {
      const guess = { email: account.email, code: otherThan(account.code, time) };
      expect((await verify('198.51.100.22', guess)).status).toBe(400);
    }
    expect((await verify('198.51.100.22', account)).status).toBe(200);
  });

  test('are exactly the limit in a burst over two processes', async () => {
    const answers = await Promise.all((await accounts(8)).map((each) => verify('198.51.100.23', each)));
    expect(succeeded(answers)).toBe(2);
  });
});

type Account = Awaited<ReturnType<typeof unverifiedAccount>>;

test('clients on this machine have no such limits outside production', async () => {
  for (let time = 0; time < 4; time += 1) {
    const email = newEmail();
    expect((await signUp(time % 2 ? '127.0.0.1' : '::1', email)).status).toBe(200);
    const otp = mailedCode(services.mailbox, email);
    expect((await post('verify-otp', { email, otp }, '127.0.0.1')).status).toBe(200);
  }
  const { db, clock } = services;
  const config = { ...testConfig('user', LIMITS), NODE_ENV: 'production' as const };
  const call = { config, db, ip: '127.0.0.1', now: clock.now() };
  for (let time = 0; time < 2; time += 1) await spendActivation(call);
  await expect(spendActivation(call)).rejects.toThrow('Too many requests');
  for (let time = 0; time < 3; time += 1) await spendCodeMail(call, newEmail());
  await expect(spendCodeMail(call, newEmail())).rejects.toThrow('Too many requests');
});
