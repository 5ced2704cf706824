import { expect, test } from 'vitest';
import { ENTERPRISE, scimError, USER } from './scim-client.ts';
import { client, service, withScim } from './with-scim.ts';

let people = 0;

withScim();

/** Creates a user and patches them. */
async function patched(operations: unknown, fields: object = {}) {
  people += 1;
  const { body } = await client.create(`person${people}`, fields);
  const path = `/Users/${body.id}`;
  const answer = await client.patch(path, operations);
  return { answer, email: `person${people}@corp.example`, after: (await client.call('GET', path)).body };
}

test.each([
  ['Okta: deactivates without a path', [{ op: 'replace', value: { active: false } }], { active: false }],
  ['Entra ID: Replace with "False"', [{ op: 'Replace', path: 'active', value: 'False' }], { active: false }],
  [
    'Entra ID: a value path of an address that exists',
    [{ op: 'Replace', path: 'emails[type eq "work"].value', value: 'new@corp.example' }],
    { emails: [{ value: 'new@corp.example', type: 'work', primary: true }] },
  ],
  [
    'Entra ID: a value path of a number that does not exist yet',
    [{ op: 'Add', path: 'phoneNumbers[type eq "mobile"].value', value: '+1 555 0100' }],
    { phoneNumbers: [{ type: 'mobile', value: '+1 555 0100' }] },
  ],
  [
    'Entra ID: paths as keys of an object without a path',
    [
      {
        op: 'Replace',
        value: {
          'name.givenName': 'Augusta',
          'emails[type eq "work"].value': 'augusta@corp.example',
          [`${ENTERPRISE}:department`]: 'Engines',
        },
      },
    ],
    {
      schemas: [USER, ENTERPRISE],
      name: { givenName: 'Augusta', familyName: 'Hopper' },
      emails: [{ value: 'augusta@corp.example', type: 'work', primary: true }],
      [ENTERPRISE]: { department: 'Engines' },
    },
  ],
  [
    'an extension by its path',
    [{ op: 'add', path: `${ENTERPRISE}:employeeNumber`, value: '701984' }],
    { [ENTERPRISE]: { employeeNumber: '701984' } },
  ],
  [
    'Entra ID: a role whose filter compares a boolean to "True"',
    [{ op: 'Add', path: 'roles[primary eq "True"].value', value: 'Editor' }],
    { roles: [{ primary: true, value: 'Editor' }] },
  ],
  [
    'names in any case',
    [{ op: 'REPLACE', path: 'NAME.FAMILYNAME', value: 'King' }],
    { name: { familyName: 'King' } },
  ],
  [
    'the core schema before the name',
    [{ op: 'replace', path: `${USER}:displayName`, value: 'Ada' }],
    { displayName: 'Ada' },
  ],
  [
    'several operations in order',
    [
      { op: 'add', path: 'title', value: 'A' },
      { op: 'replace', path: 'title', value: 'B' },
    ],
    { title: 'B' },
  ],
  [
    'one primary value after another becomes primary',
    [{ op: 'add', path: 'emails', value: [{ value: 'p@corp.example', primary: true }] }],
    { emails: [{ primary: false }, { value: 'p@corp.example', primary: true }] },
  ],
])('%s', async (_, operations, expected) => {
  const { answer, after } = await patched(operations);
  expect(answer.status).toBe(200);
  expect(after).toMatchObject(expected);
});

test.each([
  ['an attribute', [{ op: 'remove', path: 'displayName' }], 'displayName'],
  ['all values of a list', [{ op: 'remove', path: 'emails' }], 'emails'],
  ['the values that match a filter', [{ op: 'Remove', path: 'emails[type eq "work"]' }], 'emails'],
])('removes %s', async (_, operations, attribute) => {
  const { answer, after } = await patched(operations);
  expect(answer.status).toBe(200);
  expect(after[attribute]).toBeUndefined();
});

test.each([
  ['__proto__', 'invalidPath'],
  ['__proto__.polluted', 'invalidPath'],
  ['constructor', 'invalidPath'],
  ['constructor.prototype', 'invalidPath'],
  ['name.__proto__', 'invalidPath'],
  ['emails[type eq "work"].__proto__', 'invalidPath'],
  ['emails[__proto__ eq "work"].value', 'invalidFilter'],
  ['emails[constructor eq "work"].value', 'invalidFilter'],
  ['toString', 'invalidPath'],
  ['$set', 'invalidPath'],
  ['scim.active', 'invalidPath'],
  ['user_id', 'invalidPath'],
  ['id', 'mutability'],
  ['groups', 'mutability'],
  ['meta.version', 'mutability'],
  ['', 'invalidPath'],
])('refuses the path %j', async (path, scimType) => {
  const { answer, after } = await patched([{ op: 'replace', path, value: { polluted: true } }]);
  expect(answer.status).toBe(400);
  expect(answer.body).toStrictEqual(scimError(400, expect.any(String), scimType));
  expect(after.meta.version).toBe('W/"1"');
  expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
});

test.each([
  ['400 parentheses', `emails[${'('.repeat(400)}type eq "work"${')'.repeat(400)}].value`],
  ['900 brackets', `emails[${'['.repeat(900)}`],
  ['1,001 characters', 'a'.repeat(1_001)],
])('refuses a path of %s', async (_, path) => {
  const { answer } = await patched([{ op: 'replace', path, value: 'x' }]);
  expect([answer.status, answer.body.status]).toEqual([400, '400']);
});

test.each([
  ['a __proto__ key in a body', '{"Operations":[{"op":"add","value":{"__proto__":{"polluted":true}}}]}'],
  [
    'constructor.prototype in a body',
    '{"Operations":[{"op":"add","value":{"name":{"constructor":{"prototype":{"polluted":true}}}}}]}',
  ],
  ['a body that is no JSON', '{"Operations":'],
  ['a list', '[]'],
  ['no operations', '{"Operations":[]}'],
  ['operations that are no list', '{"Operations":{"op":"add"}}'],
  ['an operation that is null', '{"Operations":[null]}'],
  ['an unknown op', '{"Operations":[{"op":"copy","path":"title","value":"x"}]}'],
])('answers 400 invalidSyntax to %s', async (_, body) => {
  const { body: user } = await client.create(`syntax${body.length}`);
  const answer = await client.call('PATCH', `/Users/${user.id}`, body);
  expect(answer.status).toBe(400);
  expect(answer.body).toStrictEqual(scimError(400, expect.any(String), 'invalidSyntax'));
  expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
});

test('answers 400 noTarget to remove without a path', async () => {
  const { answer } = await patched([{ op: 'remove' }]);
  expect(answer.body).toStrictEqual(scimError(400, 'remove needs a path', 'noTarget'));
});

test('applies no operation if one of them fails', async () => {
  const { answer, after } = await patched([
    { op: 'replace', path: 'title', value: 'First' },
    { op: 'replace', path: 'active', value: 'perhaps' },
  ]);
  expect(answer.status).toBe(400);
  expect(after.title).toBeUndefined();
});

test('refuses the role Owner', async () => {
  const { answer, email } = await patched([{ op: 'replace', path: 'roles', value: ['Owner'] }]);
  expect(answer.status).toBe(403);
  expect(await service.db.users.findOne({ email })).toMatchObject({ role: 'Viewer' });
});

test('answers 413 to more operations than any provider sends', async () => {
  const { answer } = await patched(
    Array.from({ length: 1_001 }, () => ({ op: 'add', path: 'title', value: 'x' })),
  );
  expect(answer.body).toStrictEqual(scimError(413, expect.any(String), 'tooMany'));
});
