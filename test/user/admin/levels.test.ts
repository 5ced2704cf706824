import { addOperations } from '@gatehouse/shared/operation/add-operations';
import { type Operation, operationsOf } from '@gatehouse/shared/operation/operation';
import { isForOperators } from '@gatehouse/shared/operation/requirement';
import { message } from '@gatehouse/shared/operation/responses';
import Fastify from 'fastify';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { OPERATIONS } from '../../../services/user/operations.ts';
import { createFirstOperatorLink } from '../../../services/user/operators/first-operator.ts';
import { failuresAt, outcome } from '../../fixtures/envelope.ts';
import { sendJson } from '../../fixtures/http.ts';
import { adminCaller, withOperators } from '../../fixtures/operators.ts';
import { type Services, startServices } from '../../fixtures/services.ts';

let services: Services;
let people: Awaited<ReturnType<typeof withOperators>>;
beforeAll(async () => {
  services = await startServices();
  people = await withOperators(services);
});
afterAll(() => services.stop());

const failure = failuresAt(() => services.clock.now());
const forOperators = OPERATIONS.filter(({ needs }) => isForOperators(needs));
const lines = forOperators.map(({ method, path, needs, fresh }) => ({ method, path, needs, fresh }));
/** The path with ids of nobody; a refusal comes before they are looked for. */
const filled = (path: string) =>
  path.replace('/api/v1/admin', '').replaceAll(/\{\w+\}/g, people.person.user_id);
const body = (method: string) => (method === 'GET' ? undefined : { reason: 'Ticket 4711' });

test('nothing but the operations for operators is under /api/v1/admin', () => {
  const below = OPERATIONS.filter(({ path }) => path.startsWith('/api/v1/admin'));
  expect(below).toStrictEqual(forOperators);
});

describe.each(lines)('$method $path', ({ method, path, needs, fresh }) => {
  const call = (who: typeof people.admin, session: Parameters<typeof who.call>[3] = {}) =>
    who.call(method, filled(path), body(method), session);

  test('is not for an ordinary person', async () => {
    const refused = await call(people.person);
    expect(outcome(refused)).toEqual(failure(refused, 403, 'FORBIDDEN', 'Forbidden'));
  });

  test('needs a bearer', async () => {
    const refused = await call(people.admin, { headers: { authorization: '' } });
    expect(refused.status).toBe(401);
  });

  if (needs === 'admin operator')
    test('is not for the level support', async () => {
      const refused = await call(people.support);
      expect(outcome(refused)).toEqual(failure(refused, 403, 'FORBIDDEN', 'Forbidden'));
    });

  if (method !== 'GET')
    test('needs a fresh session', async () => {
      expect(fresh).toBe(true);
      const refused = await call(people.admin, { ago: 601_000 });
      const [text, details] = ['Please confirm that it is you', { methods: ['password'] }];
      expect(outcome(refused)).toEqual(failure(refused, 403, 'CONFIRMATION_REQUIRED', text, details));
    });
});

describe('in production', () => {
  const TEXT =
    'Operators need a second factor in this session. Please confirm with a code or a passkey; set one up in your profile if you have none.';
  let production: Services;
  beforeAll(async () => {
    const PRODUCTION = {
      NODE_ENV: 'production',
      PUBLIC_URL: 'https://app.example',
      INTERNAL_API_KEY: 'k3y of the tests, 32 bytes and more',
      WEBHOOK_SECRET_KEY: 'a k3y for webhooks of the tests, 32 bytes and more',
    };
    production = await startServices({ env: PRODUCTION });
  });
  afterAll(() => production.stop());

  test('an operator without a second factor in the session is told what to do', async () => {
    const admin = await adminCaller(production, 'admin');
    const refused = await admin.call('GET', '/me', undefined, { mfa: false });
    expect(outcome(refused)).toEqual(
      failuresAt(() => production.clock.now())(refused, 403, 'OPERATOR_FACTOR_REQUIRED', TEXT, {
        methods: [],
      }),
    );
    expect((await admin.call('GET', '/me')).status).toBe(200);
  });

  test('the link for the first operator works only in a session with a second factor', async () => {
    await production.db.operators.deleteMany({});
    const person = await adminCaller(production);
    const link = await createFirstOperatorLink(production.db, production.user, production.clock.now());
    const claim = link?.split('=')[1];
    const open = (mfa: boolean) =>
      sendJson('POST', `${production.user}/api/v1/users/me/operator`, { claim }, person.headers({ mfa }));
    expect((await open(false)).body.error.code).toBe('OPERATOR_FACTOR_REQUIRED');
    expect((await open(true)).status).toBe(200);
  });

  test('somebody who is no operator is not told', async () => {
    const person = await adminCaller(production);
    const { body } = await person.call('GET', '/me', undefined, { mfa: false });
    expect(body.error.code).toBe('FORBIDDEN');
  });
});

describe('a service does not start with an operation', () => {
  const LEVEL = 'GET /api/v1/admin/level';
  const declaration = {
    summary: 'Level',
    description: 'Level.',
    returns: message('Level', 'Level.'),
    handle: async () => {},
  } as const;
  const dependencies = { db: {} as never, now: Date.now };
  const starting = async (operation: Operation<typeof dependencies>) => {
    const app = Fastify();
    await addOperations(app, [operation], dependencies);
  };
  const checked = operationsOf<typeof dependencies>(async (scope) => {
    scope.decorateRequest('operator', undefined);
  });
  const unchecked = operationsOf<typeof dependencies>();

  test.each([
    [
      'that nothing checks',
      unchecked(LEVEL, { needs: 'support operator', ...declaration }),
      'nothing checks that callers of /api/v1/admin/level are operators',
    ],
    [
      'of the admin API for others',
      checked(LEVEL, { needs: 'own', ...declaration }),
      '/api/v1/admin/level needs "own"',
    ],
    [
      'for operators elsewhere',
      checked('GET /api/v1/level', { needs: 'admin operator', ...declaration }),
      '/api/v1/level needs "admin operator"',
    ],
    [
      'that changes something without a fresh session',
      checked('POST /api/v1/admin/level', { needs: 'admin operator', ...declaration }),
      'POST /api/v1/admin/level needs no fresh session',
    ],
  ])('%s', async (_, operation, text) => {
    await expect(starting(operation)).rejects.toThrow(text);
  });
});
