import type { Notice } from '@gatehouse/shared/identity/notice-records';
import { newNotice, noticeFields, withNotice } from '@gatehouse/shared/identity/notices';
import { userCollections } from '@gatehouse/shared/identity/users';
import { startMailbox } from '@gatehouse/standalone/mailbox/mailbox';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { sendAccountNotices } from '../../../services/user/account/send-notices.ts';
import { createMailer } from '../../../services/user/mail/mailer.ts';
import { testClock } from '../../fixtures/clock.ts';
import { freshDatabase } from '../../fixtures/database.ts';
import { eventually } from '../../fixtures/eventually.ts';
import { postForm } from '../../fixtures/http.ts';
import { newMember } from '../../fixtures/members.ts';
import { type Services, startServices, testConfig } from '../../fixtures/services.ts';
import { activeAccount } from './codes.ts';

describe('a reset', () => {
  let services: Services;
  beforeAll(async () => {
    services = await startServices({ env: { PUBLIC_URL: 'https://accounts.example.com' } });
  });
  afterAll(() => services.stop());

  /** Resets the password. @returns the notice that is mailed. */
  async function noticeOf(fields: object) {
    const { email, code } = await activeAccount(services, fields);
    const userAgent = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
    const form = { email, otp: code, new_password: 'new' };
    const headers = { 'user-agent': userAgent, host: 'evil.example', 'x-forwarded-host': 'evil.example' };
    expect((await postForm(`${services.user}/v2/reset-password`, form, headers)).status).toBe(200);
    return eventually(() => {
      const mail = services.mailbox.mails.find(({ recipients }) => recipients.includes(email));
      expect(mail).toBeDefined();
      return mail?.content;
    });
  }

  test('is told by mail, with its time, device and address', async () => {
    const mail = await noticeOf({});
    const iso = new Date(services.clock.now()).toISOString();
    expect(mail?.subject).toBe('Your password was reset');
    expect(mail?.text).toMatch(
      new RegExp(
        `^A new password was set.*\n\nTime: \\w+ \\d+, \\d{4}, ${iso.slice(11, 16)} UTC\nDevice: Firefox on Linux\nNetwork address: 127\\.0\\.0\\.1\n\nIf this was you.* https://accounts\\.example\\.com/forgot\n`,
        's',
      ),
    );
    expect(mail?.html).toContain('<html lang="en">');
    expect(`${mail?.text}${mail?.html}`).not.toContain('evil');
  });

  test('is told in the language of the account', async () => {
    const mail = await noticeOf({ language: 'de' });
    expect(mail?.subject).toBe('Ihr Passwort wurde zurückgesetzt');
    expect(mail?.text).toContain('Gerät: Firefox unter Linux');
    expect(mail?.html).toContain('<html lang="de">');
  });

  test('is told to an account that is disabled or not verified', async () => {
    expect(await noticeOf({ account_status: 'disabled' })).toBeDefined();
    expect(await noticeOf({ verified: false, user_id: undefined })).toBeDefined();
  });

  test('is not told when the code is wrong', async () => {
    const { email } = await activeAccount(services);
    const form = { email, otp: '000000', new_password: 'new' };
    expect((await postForm(`${services.user}/v2/reset-password`, form)).status).toBe(400);
    expect(await services.db.users.findOne({ email })).not.toHaveProperty('notices');
  });
});

describe('the notices of an account', () => {
  const clock = testClock();
  let database: Awaited<ReturnType<typeof freshDatabase<typeof userCollections>>>;
  beforeAll(async () => {
    database = await freshDatabase(userCollections);
  });
  afterAll(() => database.drop());

  /** What the mailer has sent, in order. */
  const mailed: Pick<Notice, 'kind' | 'to'>[] = [];
  const logged: object[] = [];
  beforeEach(() => {
    mailed.length = 0;
    logged.length = 0;
  });

  const kinds = () => mailed.map(({ kind }) => kind);
  const accept = async ({ email }: { email: string }, { kind }: Notice) =>
    void mailed.push({ kind, to: email });
  const refuse = () => Promise.reject(new Error('the mail server is down'));
  /** What a process does at its next look. */
  const look = (sendNotice: (to: { email: string }, notice: Notice) => Promise<void> = accept) =>
    sendAccountNotices({
      db: database.db,
      now: clock.now,
      mailer: { sendNotice },
      log: { warn: () => {}, error: (fields: object) => void logged.push(fields) } as never,
      isStopping: () => false,
    });

  const noticed = (
    kind: 'password_changed' | 'totp_enabled' | 'totp_disabled' | 'new_sign_in',
    to = 'old@example.com',
  ) => newNotice({ kind, to, at: clock.now(), details: {} });
  /** A new account with these notices. */
  async function account(...notices: Notice[]) {
    const { _id } = await newMember(database.db);
    const push = async (notice: Notice) =>
      void (await database.db.users.updateOne({ _id }, withNotice({}, notice)));
    for (const notice of notices) await push(notice);
    return { _id, push, record: () => database.db.users.findOne({ _id }) };
  }

  test('are stored with the change and mailed to the address of that time, once', async () => {
    const { _id, record } = await account();
    const changed = { $set: { name: 'B' }, $max: { sessions_valid_from: new Date(0) } };
    await database.db.users.updateOne({ _id }, withNotice(changed, noticed('password_changed')));
    expect(await record()).toMatchObject({
      name: 'B',
      sessions_valid_from: new Date(0),
      notices: [{ kind: 'password_changed', to: 'old@example.com' }],
      notices_due: new Date(clock.now()),
    });
    await Promise.all([look(), look()]);
    expect(mailed).toEqual([{ kind: 'password_changed', to: 'old@example.com' }]);
    for (const field of ['notices', 'notices_due', 'notices_holder'])
      expect(await record()).not.toHaveProperty(field);
  });

  test('are stored by an update with a pipeline, before those that are not minor', async () => {
    const { _id, record } = await account(noticed('totp_enabled'));
    const named = noticed('new_sign_in', '$email');
    await database.db.users.updateOne({ _id }, [{ $set: { name: 'B', ...noticeFields(named) } }]);
    expect((await record())?.notices?.[0]).toStrictEqual(named);
    expect((await record())?.notices_due).toEqual(named.at);
    await look();
    expect(kinds()).toEqual(['new_sign_in', 'totp_enabled']);
    await database.db.users.updateOne({ _id }, [{ $set: noticeFields(noticed('new_sign_in')) }]);
    await look();
    expect(kinds()).toEqual(['new_sign_in', 'totp_enabled', 'new_sign_in']);
  });

  test('are at most twenty', async () => {
    const { _id, push, record } = await account();
    for (let number = 1; number <= 21; number += 1) {
      await push(noticed('totp_enabled', `${number}`));
      clock.advance(1);
    }
    expect((await record())?.notices?.map(({ to }) => to)).toEqual(
      Array.from({ length: 20 }, (_, index) => `${index + 2}`),
    );
    await database.db.users.deleteOne({ _id });
  });

  test('keep their place when sign-ins add more', async () => {
    const { _id, push, record } = await account();
    const addresses = Array.from({ length: 20 }, (_, index) => `${index + 1}`);
    for (const to of addresses) {
      await push(noticed('totp_enabled', to));
      clock.advance(1);
    }
    await database.db.users.updateOne({ _id }, [{ $set: noticeFields(noticed('new_sign_in', '21')) }]);
    expect((await record())?.notices?.map(({ to }) => to)).toEqual(addresses);
    await database.db.users.deleteOne({ _id });
  });

  test('with the link that undoes a change are not displaced', async () => {
    const details = { email: 'new@example.com', undo: 'a token' };
    const changed = newNotice({ kind: 'email_changed', to: 'old@example.com', at: clock.now(), details });
    const { _id, push, record } = await account(changed);
    for (let number = 1; number <= 21; number += 1) await push(noticed('totp_enabled'));
    expect((await record())?.notices).toHaveLength(20);
    expect((await record())?.notices).toContainEqual(changed);
    await database.db.users.deleteOne({ _id });
  });

  test('wait for the mail server', async () => {
    const { record } = await account(noticed('password_changed'), noticed('totp_enabled'));
    await look((to, notice) => (notice.kind === 'password_changed' ? refuse() : accept(to, notice)));
    expect(kinds()).toEqual(['totp_enabled']);
    expect((await record())?.notices).toMatchObject([{ kind: 'password_changed' }]);
    clock.advance(59);
    await look();
    expect(kinds()).toEqual(['totp_enabled']);
    clock.advance(1);
    await look();
    expect(kinds()).toEqual(['totp_enabled', 'password_changed']);
    expect(logged).toEqual([]);
  });

  test('that come while others are mailed are mailed by the same process', async () => {
    const { _id, push, record } = await account(noticed('password_changed'));
    await look(async (to, notice) => {
      if (notice.kind === 'password_changed') {
        await push(noticed('totp_enabled'));
        await look();
        await database.db.users.updateOne({ _id }, [{ $set: noticeFields(noticed('new_sign_in')) }]);
        await look();
      }
      await accept(to, notice);
    });
    expect(kinds()).toEqual(['password_changed', 'new_sign_in', 'totp_enabled']);
    expect(await record()).not.toHaveProperty('notices_due');
  });

  test('go on where a killed process stopped', async () => {
    const { record } = await account(noticed('password_changed'), noticed('totp_enabled'));
    void look((to, notice) =>
      notice.kind === 'password_changed' ? accept(to, notice) : new Promise(() => {}),
    );
    await eventually(async () => expect((await record())?.notices).toHaveLength(1));
    await look();
    expect(kinds()).toEqual(['password_changed']);
    clock.advance(60);
    await look();
    expect(kinds()).toEqual(['password_changed', 'totp_enabled']);
  });

  test('that are gone leave no due time', async () => {
    const { _id, record } = await account(noticed('totp_enabled'));
    await database.db.users.updateOne({ _id }, { $unset: { notices: true } });
    await look();
    expect(await record()).not.toHaveProperty('notices_due');
  });

  test('wait for a newer version that knows them, and hold up no others', async () => {
    const mailbox = await startMailbox({ port: 0 });
    const mailer = createMailer(testConfig('user', { SMTP_URL: `smtp://127.0.0.1:${mailbox.port}` }));
    const newer = { ...noticed('totp_enabled'), kind: 'of_a_newer_version' } as unknown as Notice;
    const { _id, record } = await account(newer, noticed('totp_disabled'));
    await look(mailer.sendNotice);
    mailer.close();
    await mailbox.close();
    expect(mailbox.mails).toHaveLength(1);
    expect((await record())?.notices).toMatchObject([{ kind: 'of_a_newer_version' }]);
    await database.db.users.deleteOne({ _id });
  });

  test('are given up after three days, with a line in the log', async () => {
    const { _id, push, record } = await account(noticed('password_changed'));
    clock.advance(3 * 86_400 - 1);
    await look(refuse);
    expect(logged).toEqual([]);
    clock.advance(60);
    await push(noticed('totp_enabled'));
    let tries = 0;
    await look(async () => {
      tries += 1;
      return refuse();
    });
    expect(tries).toBe(2);
    const { user_id } = (await record()) ?? {};
    expect(logged).toEqual([{ user_id, kind: 'password_changed', at: expect.any(Date) }]);
    expect((await record())?.notices).toMatchObject([{ kind: 'totp_enabled' }]);
    clock.advance(60);
    await look();
    expect(kinds()).toEqual(['totp_enabled']);
    expect(await database.db.users.findOne({ _id })).not.toHaveProperty('notices_due');
  });
});
