import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AuditTrail, auditTrail, twoDays } from '../user/audit-chain/audit-trail.ts';

let trail: AuditTrail;
let folder: string;
beforeAll(async () => {
  trail = await auditTrail();
  folder = await mkdtemp(join(tmpdir(), 'gatehouse-audit-'));
  await twoDays(trail);
  await trail.db.auditAnchors.deleteMany({});
});
afterAll(async () => {
  await rm(folder, { recursive: true });
  await trail.drop();
});

const audit = (args: string[], env: NodeJS.ProcessEnv = {}) =>
  new Promise<{ code: number; stdout: string; stderr: string }>((resolve) => {
    const options = { env: { PATH: process.env.PATH, MONGODB_URI: trail.uri, ...env } };
    execFile(
      process.execPath,
      ['commands/gatehouse.ts', 'audit', ...args],
      options,
      (error, stdout, stderr) => resolve({ code: Number(error?.code ?? 0), stdout, stderr }),
    );
  });

test('makes keys, signs, exports, verifies, and names what was changed', async () => {
  const made = JSON.parse((await audit(['keygen', '--json'])).stdout);
  expect(made).toEqual({
    signing_key: expect.stringMatching(/^[\w+/]{64}$/),
    verify_key: expect.stringMatching(/^[\w+/]{59}=$/),
    key_id: expect.stringMatching(/^[0-9a-f]{16}$/),
  });
  const unsigned = await audit(['verify']);
  expect(unsigned).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('2 days, 2126-01-17 to 2126-01-18, are not signed.'),
  });
  const signed = await audit(['sign', '--json'], { AUDIT_SIGNING_KEY: made.signing_key });
  expect(signed.code).toBe(0);
  const { head, ...rest } = JSON.parse(signed.stdout);
  expect(rest).toEqual({ signed: 2, day: '2126-01-18', key: made.key_id, faults: [] });

  const exported = await audit(['export', folder, '--json']);
  expect(JSON.parse(exported.stdout)).toEqual({ folder, written: 2, skipped: 0 });
  expect((await readdir(folder)).sort()).toEqual(['audit-2126-01-17.jsonl', 'audit-2126-01-18.open.jsonl']);
  const file = join(folder, 'audit-2126-01-17.jsonl');
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  const lines = (await readFile(file, 'utf8'))
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const [link] = await trail.db.auditChain.find({ _id: 1 }).toArray();
  expect(lines).toHaveLength(4);
  expect(lines[0]).toMatchObject({
    position: 1,
    day: '2126-01-17',
    link: link?.link,
    fixed: link?.fixed,
    personal: link?.personal,
    stored: { action: 'login', email: 'ada@example.com', salts: { actor: expect.any(String) } },
  });
  expect(lines[3]).toMatchObject({ anchor: { day: '2126-01-17', count: 3, closed: true, key: made.key_id } });
  const again = await audit(['export', folder, '--json']);
  expect(JSON.parse(again.stdout)).toEqual({ folder, written: 1, skipped: 1 });
  const csv = await audit([
    'export',
    folder,
    '--format',
    'csv',
    '--from',
    '2126-01-18',
    '--to',
    '2126-01-18',
  ]);
  expect(csv.code).toBe(0);
  const rows = (await readFile(join(folder, 'audit-2126-01-18.open.csv'), 'utf8')).split('\r\n');
  expect(rows[0]).toMatch(/^position,day,event_id,at,action,outcome,user_id,email,/);
  expect(rows).toHaveLength(5);

  const env = { AUDIT_VERIFY_KEY: made.verify_key };
  const fine = await audit(['verify', '--expect', head], env);
  expect(fine).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('Nothing was changed, removed or inserted.'),
  });
  const ofOneDay = await audit(['verify', '--from', '2126-01-18', '--to', '2126-01-18', '--json'], env);
  expect(JSON.parse(ofOneDay.stdout)).toMatchObject({ links: 3, events: 3, days: 1, problem_count: 0 });

  await trail.db.auditEvents.updateOne({ action: 'profile.update' }, { $set: { outcome: 'refused' } });
  const changed = await audit(['verify', '--json', '--key', made.verify_key]);
  expect(changed.code).toBe(1);
  expect(JSON.parse(changed.stdout)).toMatchObject({
    problem_count: 1,
    problems: [{ kind: 'changed', position: 2, day: '2126-01-17', event_id: expect.any(String) }],
  });
  const other = JSON.parse((await audit(['keygen', '--json'])).stdout);
  const wrongKey = await audit(['verify', '--json', '--key', other.verify_key]);
  expect(JSON.parse(wrongKey.stdout)).toMatchObject({ problem_count: 3, signed_days: 0 });
});

describe('wrong usage', () => {
  test.each([
    [[], 'audit needs one of verify, export, sign, keygen'],
    [['other'], 'audit needs one of verify, export, sign, keygen'],
    [['verify', '--from', 'today'], '--from must be a day such as 2026-01-15'],
    [['verify', '--to', '2026-02-30'], '--to must be a day such as 2026-01-15'],
    [['verify', '--from', '2026-01-16', '--to', '2026-01-15'], '--from is after --to'],
    [['verify', '--key', 'none'], '--key is no key that npx gatehouse audit keygen has printed'],
    [['verify', '--expect', 'none'], '--expect must be a head'],
    [['verify', 'more'], 'verify takes options only'],
    [['export'], 'name one folder'],
    [['export', 'a', '--format', 'xml'], '--format must be one of jsonl, csv'],
    [['sign'], 'AUDIT_SIGNING_KEY is required'],
  ])('%j', async (args, message) => {
    expect(await audit(args)).toMatchObject({ code: 2, stderr: expect.stringContaining(message) });
  });
});
