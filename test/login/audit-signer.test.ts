import { newRegistry } from '@gatehouse/shared/http/metrics';
import { newKeyPair, signingKeyOf } from '@gatehouse/shared/identity/audit-chain/anchors';
import { createSigner } from '@gatehouse/shared/identity/audit-chain/signer';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { eventually } from '../fixtures/eventually.ts';
import { asService } from '../fixtures/scans/watch.ts';
import { testConfig } from '../fixtures/services.ts';
import { type AuditTrail, auditTrail, twoDays } from '../user/audit-chain/audit-trail.ts';

let trail: AuditTrail;
beforeEach(async () => {
  trail = await auditTrail();
});
afterEach(() => trail.drop());

const pair = newKeyPair();

/** Runs a signer once, as a process of its own. @returns its log lines. */
async function signOnce(env: NodeJS.ProcessEnv = { AUDIT_SIGNING_KEY: pair.signing_key }) {
  const lines: { level: string; fields: Record<string, unknown>; text: string }[] = [];
  const write = (level: string) => (fields: Record<string, unknown>, text: string) =>
    void lines.push({ level, fields, text });
  const log = { info: write('info'), warn: write('warn'), error: write('error') } as never;
  const metrics = newRegistry();
  const config = testConfig('login', env);
  const signer = createSigner({ db: trail.db, config, now: trail.clock.now, log, metrics });
  if (!signer) return null;
  asService(() => signer.wake());
  await signer.stop();
  return { lines, metrics: await metrics.metrics() };
}

test('does nothing without a key', async () => {
  await twoDays(trail);
  expect(await signOnce({})).toBe(null);
});

test('signs what is linked, logs the head, and leaves it alone until there is more', async () => {
  await trail.store({ action: 'login', user_id: 'User-1' });
  await trail.link();
  const [link] = await trail.db.auditChain.find({}).toArray();
  expect((await signOnce())?.lines).toEqual([
    {
      level: 'info',
      fields: { day: '2126-01-17', head: `1:${link?.link}`, key: pair.key_id },
      text: 'audit chain signed',
    },
  ]);
  const [anchor] = await trail.db.auditAnchors.find({}).toArray();
  expect(anchor).toMatchObject({ _id: '2126-01-17', first: 1, count: 1, closed: false, key: pair.key_id });
  trail.clock.advance(60);
  expect((await signOnce())?.lines).toEqual([]);
  expect(await trail.db.auditAnchors.find({}).toArray()).toEqual([anchor]);
});

test('a new key goes on if the earlier one is known, and both are verified', async () => {
  await twoDays(trail);
  const next = newKeyPair();
  const env = { AUDIT_SIGNING_KEY: next.signing_key };
  await trail.store({ action: 'logout', user_id: 'User-1' });
  await trail.link();
  const refused = await signOnce(env);
  expect(refused?.lines.map(({ level, fields }) => [level, fields])).toEqual([
    ['error', { faults: ['the anchor of 2126-01-18 is not signed with a known key'] }],
  ]);
  expect(refused?.metrics).toContain('audit_chain_faults_total 1');
  const { createPublicKey } = await import('node:crypto');
  const earlier = createPublicKey(trail.key.privateKey).export({ type: 'spki', format: 'der' });
  await signOnce({ ...env, AUDIT_VERIFY_KEY: earlier.toString('base64') });
  const keys = new Map(trail.keys).set(
    next.key_id,
    createPublicKey(signingKeyOf(next.signing_key).privateKey),
  );
  expect(await trail.verify({ keys })).toMatchObject({ problem_count: 0, signed_days: 2, notes: [] });
  expect(await trail.problems()).toEqual([
    `The anchor of 2126-01-18 is signed with the key ${next.key_id}, which is none of the given ones.`,
  ]);
});

test.each([
  ['count', 2],
  ['head', 'other'],
  ['first', 5],
  ['closed', true],
  ['previous', 'other'],
  ['signed_at', new Date(0)],
  ['signature', 'AAAA'],
])('an anchor whose %s was changed is named', async (field, value) => {
  await twoDays(trail);
  await trail.db.auditAnchors.updateOne({ _id: '2126-01-18' }, { $set: { [field]: value } });
  expect(await trail.problems()).toContain(
    'The anchor of 2126-01-18 was changed: its signature does not fit.',
  );
});

test('an anchor between others that was removed is named', async () => {
  await twoDays(trail);
  trail.clock.advance(86_400);
  await trail.store({ action: 'logout', user_id: 'User-1' });
  await trail.link();
  await trail.sign();
  await trail.db.auditAnchors.deleteOne({ _id: '2126-01-18' });
  expect(await trail.problems()).toEqual([
    '2126-01-18 has no anchor, and days before and after it have: it was removed.',
  ]);
});

test('without a public key the rest is compared, and the report says so', async () => {
  await twoDays(trail);
  expect(await trail.verify({ keys: new Map() })).toMatchObject({
    problem_count: 0,
    notes: ['No public key was given, so the signatures of the anchors were not checked.'],
  });
});

test('a day with a fault is signed up to it, and the next day has an anchor of its own', async () => {
  await twoDays(trail);
  for (let index = 0; index < 3; index += 1) await trail.store({ action: 'refresh', user_id: 'User-1' });
  await trail.link();
  await trail.db.auditChain.updateOne({ _id: 8 }, { $set: { action: 'login' } });
  const fault = 'the link at position 8 of 2126-01-18 does not follow the one before it';
  expect((await trail.sign()).faults).toEqual([fault]);
  expect(await trail.db.auditAnchors.findOne({ _id: '2126-01-18' })).toMatchObject({
    count: 4,
    closed: false,
  });
  trail.clock.advance(86_400);
  await trail.store({ action: 'logout', user_id: 'User-1' });
  await trail.link();
  expect((await trail.sign()).faults).toEqual([fault]);
  expect(await trail.db.auditAnchors.findOne({ _id: '2126-01-19' })).toMatchObject({ first: 10, count: 1 });
  expect((await trail.sign()).faults).toEqual([]);
  await eventually(async () => (await trail.problems()).length > 0);
});

test.each(['no key', newKeyPair().verify_key])('refuses %j as AUDIT_SIGNING_KEY', (text) => {
  expect(() => testConfig('login', { AUDIT_SIGNING_KEY: text })).toThrow(
    'AUDIT_SIGNING_KEY must be the signing_key that npx gatehouse audit keygen prints',
  );
});

test('refuses a private key as AUDIT_VERIFY_KEY', () => {
  expect(() => testConfig('login', { AUDIT_VERIFY_KEY: pair.signing_key })).toThrow(
    'AUDIT_VERIFY_KEY must be verify_keys that npx gatehouse audit keygen prints, separated by commas',
  );
});
