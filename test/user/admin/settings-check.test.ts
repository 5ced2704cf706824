import { describe, expect, test } from 'vitest';
import { outcome } from '../../fixtures/envelope.ts';
import { accounts, read, service, withAdmin } from './operator-service.ts';

const PATH = '/settings-check';
const KEY = 'the-key-of-other-services';

/** The findings of a check, in their order. */
const findings = async () => {
  const { status, body } = outcome(await accounts.admin.call('GET', PATH));
  expect(status).toBe(200);
  return body.data as { check: string; status: string; found: string; advice: string | null }[];
};

describe('a service that has what it needs', () => {
  withAdmin({ env: { MAIL_FROM: 'Gatehouse <no-reply@localhost>', INTERNAL_API_KEY: KEY } });

  test('is checked, and what is unsafe in production comes first', async () => {
    const found = await findings();
    const names = ['MongoDB address', 'MongoDB version', 'MongoDB clock', 'indexes', 'mail', 'mail DNS'];
    for (const check of names) expect(found).toContainEqual(expect.objectContaining({ check, status: 'ok' }));
    expect(found[0]).toStrictEqual({
      check: 'settings',
      status: 'warn',
      found: expect.stringMatching(/^INTERNAL_API_KEY is shorter than 32 bytes/),
      advice: 'set it in the environment or in .env; .env.example explains every setting',
    });
    const isOk = found.map(({ status }) => status === 'ok');
    expect(isOk).toEqual(isOk.toSorted());
    expect(JSON.stringify(found)).not.toContain(KEY);
  });

  test('names an index that is gone', async () => {
    await service.db.machineKeys.dropIndexes();
    expect(await findings()).toContainEqual({
      check: 'indexes',
      status: 'warn',
      found: expect.stringMatching(/^machine_keys: \w+ is missing$/),
      advice: 'start each service once: it builds its indexes, or names what prevents one',
    });
  });

  test('is checked for admins alone', async () => {
    expect(await read(PATH)).toMatchObject({ status: 403 });
    expect(outcome(await accounts.person.call('GET', PATH))).toMatchObject({ status: 403 });
  });
});

describe('a service without its mail server', () => {
  withAdmin({ env: { MAIL_FROM: 'no-reply@localhost', SMTP_URL: 'smtp://ada:a-password@127.0.0.1:1' } });

  test('says so first, in two answers to calls at once, without the password', async () => {
    const [found, again] = await Promise.all([findings(), findings()]);
    expect(found[0]).toStrictEqual({
      check: 'mail',
      status: 'fail',
      found: expect.stringMatching(/^the mail server refuses: .*ECONNREFUSED/),
      advice: 'check SMTP_URL, and that this machine may reach the server; until then nobody gets a code',
    });
    expect(again).toStrictEqual(found);
    expect(JSON.stringify(found)).not.toContain('a-password');
  });
});
