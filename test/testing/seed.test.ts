import { type Gatehouse, type SeedInput, startGatehouse } from '@gatehouse/testing';
import { readSeed, SeedError } from '@gatehouse/testing/seed/read-seed';
import { Secret, TOTP } from 'otpauth';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { call } from './call.ts';

const SEED = 'packages/testing/seed.yaml';
const password = 'correct-horse';

let gate: Gatehouse;
beforeAll(async () => {
  gate = await startGatehouse({ seed: SEED, practice: true });
});
afterAll(() => gate.stop());

const login = (email: string) => call(gate, '/api/v1/auth/login', { body: { email, password } });
const codeOf = ({ error }: Record<string, unknown>) => (error as { code?: string } | undefined)?.code;

describe('the example seed', () => {
  test.each([
    ['ada@example.com', 200, undefined],
    ['grace@example.com', 403, 'SECOND_FACTOR_REQUIRED'],
    ['unverified@example.com', 403, 'ACCOUNT_NOT_VERIFIED'],
    ['disabled@example.com', 401, 'INVALID_CREDENTIALS'],
    // spec §Login: `verified` alone decides. No call accepts the token.
    ['paused@example.com', 200, undefined],
    // A login takes the deletion back.
    ['leaving@example.com', 200, undefined],
    ['passwordless@example.com', 401, 'INVALID_CREDENTIALS'],
  ])('%s gets %i at login', async (email, status, code) => {
    const answer = await login(email);
    expect([answer.status, codeOf(answer.body)]).toStrictEqual([status, code]);
  });

  test('gives the second factor a known secret', async () => {
    const { body } = await login('grace@example.com');
    const { details } = body.error as { details: { factor_token: string } };
    const totp = new TOTP({ secret: Secret.fromBase32('JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP') });
    const code = totp.generate({ timestamp: gate.clock.now().getTime() });
    const { factor_token } = details;
    expect((await call(gate, '/api/v1/auth/login/factor', { body: { factor_token, code } })).status).toBe(
      200,
    );
  });

  test('mails the code of an unverified person', async () => {
    expect(await gate.code('unverified@example.com')).toMatch(/^\d{6}$/);
  });

  test('makes the organization with all that is in it, once', async () => {
    await gate.seed(await readSeed(SEED));
    const { token } = await gate.session({ email: 'ada@example.com' });
    const list = async (path: string) =>
      (await call(gate, path, { token })).body.data as Record<string, unknown>[];
    const [organization, ...others] = await list('/api/v1/organizations');
    expect([organization?.name, others]).toStrictEqual(['Analytical Engines', []]);
    const place = `/api/v1/organizations/${organization?.organization_id}`;
    const departments = await list(`${place}/departments`);
    expect(departments.map(({ name }) => name).sort()).toStrictEqual(['Research', 'Support']);
    const support = departments.find(({ name }) => name === 'Support')?.department_id;
    const members = await list(`${place}/departments/${support}/members`);
    expect(members.map(({ role }) => role).sort()).toStrictEqual(['Editor', 'Viewer']);
    const invitations = await list(`${place}/departments/${support}/invitations`);
    expect(invitations.map(({ email, status }) => [email, status])).toStrictEqual([
      ['invited@example.com', 'pending'],
    ]);
    const chatbots = await list(`/api/v1/chatbots?department_id=${support}`);
    expect(chatbots.map(({ name }) => name)).toStrictEqual(['Receptionist']);
    const webhooks = await list(`/api/v1/webhooks?department_id=${support}`);
    expect(webhooks.map(({ url }) => url)).toStrictEqual(['http://127.0.0.1:9000/hooks']);
    const connections = await list(
      `/api/v1/sso/connections?organization_id=${organization?.organization_id}`,
    );
    expect(connections.map(({ slug }) => slug)).toStrictEqual(['practice-oidc']);
  });
});

describe('faults of a seed', () => {
  test.each<[string, SeedInput, string]>([
    [
      'an unknown field',
      { people: [{ email: 'a@example.com', age: 3 } as never] },
      'people[0]: Unrecognized key: "age"',
    ],
    [
      'an unknown state',
      { people: [{ email: 'a@example.com' }, { email: 'b@example.com', state: 'gone' as never }] },
      'people[1].state: Invalid option: expected one of "unverified"|"active"|"paused"|"disabled"|"deleting"',
    ],
    [
      'an invalid address',
      { organizations: [{ name: 'X', owner: 'nobody' }] },
      'organizations[0].owner: must be a plain e-mail address',
    ],
    [
      'an address twice',
      { people: [{ email: 'a@example.com' }, { email: 'A@example.com' }] },
      'people[1].email: a@example.com is in the seed twice',
    ],
  ])('names the path of %s', async (_, seed, message) => {
    await expect(readSeed(seed)).rejects.toThrow(new SeedError(message));
  });

  test('names the file of one that cannot be read', async () => {
    await expect(readSeed('no-such-seed.yaml')).rejects.toThrow(/^no-such-seed\.yaml: ENOENT/);
  });

  test.each<[string, SeedInput, string]>([
    [
      'an Owner without an account',
      { organizations: [{ name: 'X', owner: 'nobody@example.com' }] },
      'organizations[0].owner: nobody@example.com is neither a verified person of the seed nor has an account',
    ],
    [
      'a body that the API refuses',
      {
        organizations: [
          {
            name: 'Y',
            owner: 'ada@example.com',
            departments: [
              { name: 'D', chatbots: [{ name: 'B', type: 'cat', avatar_id: 'a', language: 'en' }] },
            ],
          },
        ],
      },
      'organizations[0].departments[0].chatbots[0]: ',
    ],
  ])('names the path of %s', async (_, seed, message) => {
    await expect(gate.seed(seed)).rejects.toThrow(message);
  });
});
