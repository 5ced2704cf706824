import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { carryOutResets } from '../../../services/user/factors/carry-out-resets.ts';
import { enrolled } from '../../fixtures/enrolled.ts';
import { failuresAt, outcome } from '../../fixtures/envelope.ts';
import { eventually } from '../../fixtures/eventually.ts';
import { postJson, send } from '../../fixtures/http.ts';
import { bearerOf, newMember } from '../../fixtures/members.ts';
import { type Services, startServices } from '../../fixtures/services.ts';

const DAY = 86_400;
const log = { info: () => {}, error: () => {} } as never;

let services: Services;
beforeAll(async () => {
  services = await startServices({ env: { INTERNAL_API_KEY: 'key-of-the-tests' } });
});
afterAll(() => services.stop());

const now = () => services.clock.now();
const failure = failuresAt(now);
const newEnrolled = () => enrolled(services.db, services.clock);
const reset = (body: object, key = 'key-of-the-tests') =>
  postJson(`${services.user}/internal/factor-reset`, body, { authorization: `Bearer ${key}` });
const resetOf = ({ user_id }: { user_id?: string }) => reset({ user_id, reason: 'Lost phone' });
const login = ({ email }: { email: string }) =>
  postJson(`${services.login}/api/v1/auth/login`, { email, password: 'secret' });
const withCode = async (user: { email: string }, code: string) => {
  const { body } = await login(user);
  return postJson(`${services.login}/api/v1/auth/login/factor`, {
    factor_token: body.error.details.factor_token,
    code,
  });
};
const factors = async (user: { email: string; user_id?: string }) => {
  const headers = { authorization: bearerOf(user, now()) };
  return (await send(`${services.user}/api/v1/users/me/factors`, { headers })).body;
};
const carryOut = () => carryOutResets({ db: services.db, now, log });
const eventsAbout = ({ user_id }: { user_id?: string }) =>
  services.db.auditEvents
    .find({ 'target.user_id': user_id })
    .sort({ at: 1 })
    .toArray()
    .then((events) => events.map(({ action, user_id, after }) => ({ action, user_id, after })));
const recordOf = ({ email }: { email: string }) => services.db.users.findOne({ email });

describe('a reset by an operator', () => {
  test('takes effect a day later and is told at once', async () => {
    const user = await newEnrolled();
    const reset_at = new Date(now() + DAY * 1000).toISOString();
    expect(outcome(await resetOf(user))).toEqual({ status: 200, body: { user_id: user.user_id, reset_at } });
    await eventually(() =>
      expect(services.mailbox.mails.filter(({ recipients }) => recipients.includes(user.email))).toHaveLength(
        1,
      ),
    );
    expect(await factors(user)).toMatchObject({ reset_at });
    services.clock.advance(DAY - 1);
    expect((await login(user)).body.error.code).toBe('SECOND_FACTOR_REQUIRED');
    services.clock.advance(1);
    // Compared at use: no job has run.
    expect((await login(user)).status).toBe(200);
    expect(await factors(user)).toEqual({
      totp: null,
      recovery_codes_left: 0,
      reset_at: null,
      password: { set: true, allowed: true },
    });
    await carryOut();
    const record = await recordOf(user);
    expect(record).not.toHaveProperty('second_factor');
    expect(record).not.toHaveProperty('factor_reset');
    const events = [
      { action: 'factor.reset', user_id: null, after: { reason: 'Lost phone', reset_at } },
      { action: 'factor.disable', user_id: null, after: { reason: 'Lost phone' } },
    ];
    expect(await eventsAbout(user)).toEqual(events);
    await carryOut();
    expect(await eventsAbout(user)).toEqual(events);
  });

  test('asked for again, keeps its date and is told once', async () => {
    const user = await newEnrolled();
    const first = await resetOf(user);
    services.clock.advance(3_600);
    expect(outcome(await resetOf(user))).toEqual(outcome(first));
    expect(await eventsAbout(user)).toHaveLength(1);
  });

  test.each([
    ['a code of the app', (user: Awaited<ReturnType<typeof newEnrolled>>) => user.code()],
    ['a recovery code', ({ recoveryCodes: [code = ''] }: Awaited<ReturnType<typeof newEnrolled>>) => code],
  ])('is canceled by %s', async (_, codeOf) => {
    const user = await newEnrolled();
    await resetOf(user);
    services.clock.advance(DAY - 60);
    expect((await withCode(user, codeOf(user))).status).toBe(200);
    expect(await recordOf(user)).not.toHaveProperty('factor_reset');
    services.clock.advance(DAY);
    await carryOut();
    expect((await login(user)).body.error.code).toBe('SECOND_FACTOR_REQUIRED');
  });

  test('is not canceled by a wrong code, a login without one, or an existing session', async () => {
    const user = await newEnrolled();
    await resetOf(user);
    const before = await recordOf(user);
    expect((await withCode(user, 'wrong')).status).toBe(401);
    await factors(user);
    expect((await recordOf(user))?.factor_reset).toEqual(before?.factor_reset);
  });

  test('that is due cannot be canceled', async () => {
    const user = await newEnrolled();
    await resetOf(user);
    services.clock.advance(DAY - 1);
    const { factor_token } = (await login(user)).body.error.details;
    services.clock.advance(1);
    const late = { factor_token, code: user.code() };
    expect((await postJson(`${services.login}/api/v1/auth/login/factor`, late)).status).toBe(401);
    expect((await recordOf(user))?.factor_reset).toBeDefined();
  });

  test('that is due makes way for a new enrollment', async () => {
    const user = await newEnrolled();
    await resetOf(user);
    services.clock.advance(DAY);
    const headers = { authorization: bearerOf(user, now()) };
    const begun = await send(`${services.user}/api/v1/users/me/factors/totp`, { method: 'POST', headers });
    expect(begun.status).toBe(200);
    expect(await recordOf(user)).not.toHaveProperty('second_factor');
  });

  test('is 404 for an account without a second factor, or none at all', async () => {
    for (const user_id of [(await newMember(services.db)).user_id, 'User-000000']) {
      const answer = await reset({ user_id, reason: 'Lost phone' });
      expect(outcome(answer)).toEqual(
        failure(
          answer,
          404,
          'RESOURCE_NOT_FOUND',
          'Not found',
          'No account with a second factor has this user_id',
        ),
      );
    }
  });

  test.each([{}, { user_id: 'User-100001' }, { user_id: 'User-100001', reason: ' ' }])(
    'with %j is 400',
    async (body) => {
      expect((await reset(body)).status).toBe(400);
    },
  );

  test('needs the service key', async () => {
    const user = await newEnrolled();
    expect((await reset({ user_id: user.user_id, reason: 'mine' }, 'another')).status).toBe(401);
    const own = bearerOf(user, now()).slice(7);
    expect((await reset({ user_id: user.user_id, reason: 'mine' }, own)).status).toBe(401);
    expect(await recordOf(user)).not.toHaveProperty('factor_reset');
  });
});
