import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createFirstOperatorLink } from '../../../services/user/operators/first-operator.ts';
import { failuresAt, outcome } from '../../fixtures/envelope.ts';
import { sendJson } from '../../fixtures/http.ts';
import { adminCaller } from '../../fixtures/operators.ts';
import { type Services, startServices } from '../../fixtures/services.ts';

let services: Services;
let person: Awaited<ReturnType<typeof adminCaller>>;
beforeAll(async () => {
  services = await startServices();
});
afterAll(() => services.stop());
beforeEach(async () => {
  await services.db.operators.deleteMany({});
  await services.db.operatorClaims.deleteMany({});
  person = await adminCaller(services);
});

const failure = failuresAt(() => services.clock.now());
const PAGES = 'https://accounts.example.com/';

const link = () => createFirstOperatorLink(services.db, PAGES, services.clock.now());
const secretOf = (url: string | undefined) => /#claim=([\w-]{43})$/.exec(url ?? '')?.[1] ?? 'none';
const claimBy = (
  who: typeof person,
  claim: unknown,
  session: Parameters<typeof person.headers>[0] = {},
  { user }: Pick<Services, 'user'> = services,
) => sendJson('POST', `${user}/api/v1/users/me/operator`, { claim }, who.headers(session));
const operators = () => services.db.operators.distinct('_id');

async function expectInvalid(refused: Awaited<ReturnType<typeof claimBy>>) {
  const text = 'This link is no longer valid';
  expect(outcome(refused)).toEqual(failure(refused, 404, 'RESOURCE_NOT_FOUND', 'Not found', text));
}

test('the link makes the account that opens it the first admin, who reads so in the audit', async () => {
  const url = await link();
  expect(url).toMatch(/^https:\/\/accounts\.example\.com\/admin#claim=[\w-]{43}$/);
  const added = {
    user_id: person.user_id,
    level: 'admin',
    added_at: new Date(services.clock.now()).toISOString(),
    added_by: 'command line',
  };
  expect(outcome(await claimBy(person, secretOf(url)))).toEqual({ status: 200, body: added });
  expect(outcome(await person.call('GET', '/me'))).toEqual({ status: 200, body: { ...added, mfa: true } });
  expect(await services.db.operatorClaims.countDocuments()).toBe(0);
  expect(await services.db.auditEvents.find({ 'target.user_id': person.user_id }).toArray()).toMatchObject([
    {
      action: 'admin.operator_set',
      user_id: person.user_id,
      after: { level: 'admin', reason: 'Opened the link for the first operator' },
    },
  ]);
});

test('the database holds no secret', async () => {
  const secret = secretOf(await link());
  const [stored] = await services.db.operatorClaims.find().toArray();
  expect(Object.keys(stored ?? {}).sort()).toEqual(['_id', 'digest', 'expires_at']);
  expect(JSON.stringify(stored)).not.toContain(secret);
});

describe('is refused', () => {
  test('when it is used twice', async () => {
    const other = await adminCaller(services);
    const secret = secretOf(await link());
    await claimBy(person, secret);
    await expectInvalid(await claimBy(other, secret));
    await expectInvalid(await claimBy(person, secret));
    expect(await operators()).toEqual([person.user_id]);
  });

  test('when it is used twice, also if the operator is gone since', async () => {
    const secret = secretOf(await link());
    await claimBy(person, secret);
    await services.db.operators.deleteMany({});
    await expectInvalid(await claimBy(person, secret));
  });

  test('after an hour, compared at use', async () => {
    const secret = secretOf(await link());
    services.clock.advance(3600);
    await expectInvalid(await claimBy(person, secret));
    expect(await operators()).toEqual([]);
  });

  test('until then it works', async () => {
    const secret = secretOf(await link());
    services.clock.advance(3599);
    expect((await claimBy(person, secret)).status).toBe(200);
  });

  test.each(['admin', 'support'] as const)('when there is an operator of the level %s', async (level) => {
    const secret = secretOf(await link());
    await adminCaller(services, level);
    await expectInvalid(await claimBy(person, secret));
    expect(await operators()).not.toContain(person.user_id);
    expect(await link()).toBeUndefined();
  });

  test('when a newer one replaces it', async () => {
    const [old, current] = [secretOf(await link()), secretOf(await link())];
    await expectInvalid(await claimBy(person, old));
    expect((await claimBy(person, current)).status).toBe(200);
  });

  test('with another secret, the digest or no link at all', async () => {
    await expectInvalid(await claimBy(person, 'a'.repeat(43)));
    await link();
    await expectInvalid(await claimBy(person, 'a'.repeat(43)));
    const [stored] = await services.db.operatorClaims.find().toArray();
    await expectInvalid(await claimBy(person, stored?.digest));
    expect(await operators()).toEqual([]);
  });

  test.each([[{ $ne: '' }], [['a']], [''], [undefined], ['a'.repeat(101)]])('as %j', async (claim) => {
    await link();
    expect((await claimBy(person, claim)).status).toBe(400);
  });

  test('in a session that is not fresh', async () => {
    const secret = secretOf(await link());
    const refused = await claimBy(person, secret, { ago: 601_000 });
    expect(refused.body.error.code).toBe('CONFIRMATION_REQUIRED');
    expect((await claimBy(person, secret)).status).toBe(200);
  });

  test('without a session', async () => {
    const url = `${services.user}/api/v1/users/me/operator`;
    expect((await sendJson('POST', url, { claim: secretOf(await link()) }, {})).status).toBe(401);
    expect(await operators()).toEqual([]);
  });
});

test('of accounts that use it at once, one becomes the operator', async () => {
  for (let round = 0; round < 5; round += 1) {
    await services.db.operators.deleteMany({});
    const secret = secretOf(await link());
    const people = await Promise.all([1, 2, 3, 4].map(() => adminCaller(services)));
    const answers = await Promise.all(people.map((each) => claimBy(each, secret)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 404, 404, 404]);
    const winner = people[answers.findIndex(({ status }) => status === 200)];
    expect(await operators()).toEqual([winner?.user_id]);
  }
});

describe('a call that was killed after it had used the link', () => {
  const killed = async (at: number) => {
    const secret = secretOf(await link());
    const used = { claimed_by: person.user_id, claimed_at: new Date(at) };
    await services.db.operatorClaims.updateOne({}, { $set: used });
    return secret;
  };

  test('is completed by the same account', async () => {
    const secret = await killed(services.clock.now());
    await expectInvalid(await claimBy(await adminCaller(services), secret));
    expect((await claimBy(person, secret)).status).toBe(200);
    expect(await operators()).toEqual([person.user_id]);
  });

  test('is replaced by a new link a minute later, not before', async () => {
    const secret = await killed(services.clock.now());
    await expect(link()).rejects.toThrow('the link before is being used; try again in a minute');
    services.clock.advance(61);
    const current = secretOf(await link());
    await expectInvalid(await claimBy(person, secret));
    expect((await claimBy(await adminCaller(services), current)).status).toBe(200);
  });
});
