import { ensureAllFeatures, ensureFeatures } from '@gatehouse/shared/identity/features';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { buildUserService } from '../../../services/user/app.ts';
import { createMailer } from '../../../services/user/mail/mailer.ts';
import { postForm } from '../../fixtures/http.ts';
import { mailedCode, type Services, startServices, testConfig } from '../../fixtures/services.ts';

let services: Services;
beforeAll(async () => {
  services = await startServices({ env: { PASSWORD_STORAGE: 'plain' } });
});
afterAll(() => services.stop());

let people = 0;
const post = (operation: string, fields: Record<string, string>) =>
  postForm(`${services.user}/v2/${operation}`, fields);
const featuresOf = (user_id: string) => services.db.features.find({ user_id }).toArray();
const record = (email: string) => services.db.users.findOne({ email });

async function activate() {
  people += 1;
  const email = `person${people}@example.com`;
  await post('signup', { email, password: 'secret', name: 'Person' });
  const { body } = await post('verify-otp', { email, otp: mailedCode(services.mailbox, email) });
  return { email, user_id: body.user_id as string };
}

/** An account whose activation was killed before its features were stored. */
async function killedBeforeFeatures() {
  const { email, user_id } = await activate();
  await services.db.features.deleteOne({ user_id });
  await services.db.users.updateOne({ email }, { $unset: { features_assigned: '' } });
  return { email, user_id };
}

/** An account whose activation was killed before features_assigned was set. */
async function killedBeforeMark() {
  const { email, user_id } = await activate();
  await services.db.users.updateOne({ email }, { $unset: { features_assigned: '' } });
  return { email, user_id };
}

/** Starts the user service again, on the same database, until it is ready. */
async function restart() {
  const mailer = createMailer(testConfig('user'));
  const app = await buildUserService({
    config: testConfig('user'),
    db: services.db,
    mailer,
    now: services.clock.now,
  });
  await app.ready();
  await app.close();
  mailer.close();
}

describe.each([
  ['before the features are stored', killedBeforeFeatures],
  ['before features_assigned is set', killedBeforeMark],
])('after a kill %s there is exactly one features record', (_when, killed) => {
  test('after a retry with the same code', async () => {
    const { email, user_id } = await killed();
    const otp = mailedCode(services.mailbox, email);
    expect((await post('verify-otp', { email, otp })).body.user_id).toBe(user_id);
    expect(await featuresOf(user_id)).toHaveLength(1);
    expect(await record(email)).toMatchObject({ features_assigned: true });
  });

  test('after eight parallel verifications', async () => {
    const { email, user_id } = await killed();
    const otp = mailedCode(services.mailbox, email);
    const answers = await Promise.all(Array.from({ length: 8 }, () => post('verify-otp', { email, otp })));
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200));
    expect(await featuresOf(user_id)).toHaveLength(1);
  });

  test('after the next login', async () => {
    const { email, user_id } = await killed();
    expect((await postForm(`${services.login}/v2/login`, { email, password: 'secret' })).status).toBe(200);
    expect(await featuresOf(user_id)).toHaveLength(1);
    expect(await record(email)).toMatchObject({ features_assigned: true });
  });

  test('after several restarts in parallel', async () => {
    const accounts = [await killed(), await killed(), await killed()];
    await Promise.all([restart(), restart(), restart()]);
    for (const { email, user_id } of accounts) {
      expect(await featuresOf(user_id)).toHaveLength(1);
      expect(await record(email)).toMatchObject({ features_assigned: true });
    }
  });
});

test('a retry that completes an activation is audited as the activation', async () => {
  const email = 'half-way@example.com';
  await post('signup', { email, password: 'secret', name: 'Person' });
  const otp = mailedCode(services.mailbox, email);
  const spy = vi.spyOn(services.db.features, 'insertOne').mockRejectedValueOnce(new Error('no answer'));
  const statuses = [];
  for (let call = 0; call < 3; call += 1) statuses.push((await post('verify-otp', { email, otp })).status);
  spy.mockRestore();
  expect(statuses).toEqual([500, 200, 200]);
  const audited = await services.db.auditEvents.find({ action: 'verify', email }).sort({ _id: 1 }).toArray();
  const activation = { account_status: 'active' };
  expect(audited.map(({ outcome, after }) => [outcome, after])).toEqual([
    ['Internal server error', activation],
    ['success', activation],
    ['success', null],
  ]);
});

test('eight parallel calls create one record', async () => {
  const { email, user_id } = await killedBeforeFeatures();
  const user = await record(email);
  await Promise.all(
    Array.from({ length: 8 }, () => ensureFeatures(services.db, user as never, services.clock.now())),
  );
  expect(await featuresOf(user_id)).toHaveLength(1);
});

test('a restart leaves an existing record alone', async () => {
  const { email, user_id } = await killedBeforeMark();
  const [before] = await featuresOf(user_id);
  services.clock.advance(1000);
  await ensureAllFeatures(services.db, services.clock.now());
  expect(await featuresOf(user_id)).toEqual([before]);
  expect(await record(email)).toMatchObject({ features_assigned: true });
});

test('a restart assigns no features to an unverified account', async () => {
  await post('signup', { email: 'paused@example.com', password: 'secret', name: 'Paused' });
  const before = await record('paused@example.com');
  const features = await services.db.features.countDocuments();
  await restart();
  expect(await record('paused@example.com')).toEqual(before);
  expect(await services.db.features.countDocuments()).toBe(features);
});

// Older collections hold other truthy values; see old-records.test.ts.
test.each([1, 'yes'])('a restart assigns features to an account with verified %j', async (verified) => {
  const { email, user_id } = await killedBeforeFeatures();
  await services.db.users.updateOne({ email }, { $set: { verified } });
  await restart();
  expect(await featuresOf(user_id)).toHaveLength(1);
});
