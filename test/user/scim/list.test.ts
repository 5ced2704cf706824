import { randomUUIDv7 } from 'node:crypto';
import { MongoServerError } from 'mongodb';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { type Client, newClient, scimError } from './scim-client.ts';
import { client, organization, service, withScim } from './with-scim.ts';

let crowd: Client;
const CROWD = 1_500;

withScim();
beforeAll(async () => {
  await client.create('Ada', { externalId: 'A-1' });
  service.clock.advance(1);
  await client.create('bob', { externalId: 'a-1', emails: [{ value: 'Bob@corp.example', type: 'home' }] });
  service.clock.advance(1);
  const { body } = await client.create('carol', { externalId: 'it"s \\ (odd) [x]' });
  await client.patch(`/Users/${body.id}`, [{ op: 'replace', value: { active: false } }]);
  crowd = await newClient(service, organization);
  const at = new Date(service.clock.now());
  const identities = Array.from({ length: CROWD }, (_, index) => {
    const user_name = `u${String(index).padStart(5, '0')}@corp.example`;
    return {
      identity_id: randomUUIDv7() as string,
      connection_id: crowd.connection.connection_id,
      user_id: `Crowd-${index}`,
      email: user_name,
      scim: {
        user_name,
        user_name_key: user_name,
        external_id: null,
        active: true,
        attributes: { emails: [{ value: user_name, type: 'work' }] },
        version: 1,
      },
      created_at: at,
      updated_at: at,
    };
  });
  await service.db.ssoIdentities.insertMany(identities);
});

const namesOf = ({ body }: { body: { Resources: { userName: string }[] } }) =>
  body.Resources.map(({ userName }) => userName.split('@')[0]);

describe('filters', () => {
  test.each([
    ['userName eq "ADA@corp.example"', ['Ada']],
    ['USERNAME EQ "ada@corp.example"', ['Ada']],
    ['userName ne "ada@corp.example"', ['bob', 'carol']],
    ['userName co "O"', ['Ada', 'bob', 'carol']],
    ['userName sw "B"', ['bob']],
    ['userName ew "L@CORP.EXAMPLE"', ['carol']],
    ['userName gt "bob@corp.example"', ['carol']],
    ['userName ge "bob@corp.example"', ['bob', 'carol']],
    ['userName lt "bob@corp.example"', ['Ada']],
    ['userName le "bob@corp.example"', ['Ada', 'bob']],
    ['userName pr', ['Ada', 'bob', 'carol']],
    ['externalId eq "A-1"', ['Ada']],
    ['externalId eq "it\\"s \\\\ (odd) [x]"', ['carol']],
    ['active eq true', ['Ada', 'bob']],
    ['active eq "False"', ['carol']],
    ['active ne true', ['carol']],
    ['emails eq "bob@CORP.example"', ['bob']],
    ['emails.value ew "@corp.example"', ['Ada', 'bob', 'carol']],
    ['emails ne "bob@corp.example"', ['Ada', 'carol']],
    ['emails[type eq "work" and value co "ada"]', ['Ada']],
    ['emails[type eq "home"]', ['bob']],
    ['emails pr', ['Ada', 'bob', 'carol']],
    ['not (active eq true)', ['carol']],
    ['userName sw "a" or userName sw "b" and active eq false', ['Ada']],
    ['(userName sw "a" or userName sw "b") and active eq true', ['Ada', 'bob']],
    ['urn:ietf:params:scim:schemas:core:2.0:User:userName eq "bob@corp.example"', ['bob']],
    ['externalId eq null', []],
  ])('%s', async (filter, expected) => {
    const answer = await client.filter('Users', filter);
    expect(answer.status).toBe(200);
    expect(namesOf(answer)).toStrictEqual(expected);
    expect(answer.body.totalResults).toBe(expected.length);
  });

  test('meta.lastModified', async () => {
    const { body } = await client.filter('Users', 'userName eq "bob@corp.example"');
    const { lastModified } = body.Resources[0].meta;
    expect(namesOf(await client.filter('Users', `meta.lastModified gt "${lastModified}"`))).toEqual([
      'carol',
    ]);
    expect(namesOf(await client.filter('Users', `meta.lastModified le "${lastModified}"`))).toEqual([
      'Ada',
      'bob',
    ]);
  });

  test.each([
    'userName',
    'userName eq',
    'userName eq ada',
    'userName eq {"$gt":""}',
    'userName eq ["ada"]',
    'userName xx "ada"',
    'userName eq "ada',
    'userName eq "ada" and',
    'userName eq "ada" "bob"',
    'userName eq "\\x"',
    'userName eq 7',
    'active gt true',
    'active eq "perhaps" and active co true',
    'meta.lastModified gt "yesterday"',
    'meta.lastModified co "2026"',
    '$where eq "sleep(1000)"',
    '$or[userName pr]',
    'scim.user_name eq "ada"',
    'user_id pr',
    'connection_id pr',
    'password pr',
    '__proto__ eq "x"',
    'constructor eq "x"',
    'emails.$where eq "x"',
    'emails[__proto__ pr]',
    'emails[value pr',
    'userName[value pr]',
    ')',
    '(((',
  ])('answers 400 invalidFilter to %j', async (filter) => {
    const { status, body } = await client.filter('Users', filter);
    expect([status, body]).toEqual([400, scimError(400, expect.any(String), 'invalidFilter')]);
  });

  test.each<['Users' | 'Groups', string]>([
    ['Users', 'userName eq "\\u0000"'],
    ['Users', 'userName co "\\u0000"'],
    ['Users', 'userName sw "a\\u0000b"'],
    ['Users', 'userName ew "\\u0000"'],
    ['Users', 'userName gt "\\u0000"'],
    ['Users', 'emails eq "\\u0000"'],
    ['Users', 'emails ne "\\u0000"'],
    ['Users', 'emails[type eq "\\u0000"]'],
    ['Users', 'externalId eq "\\ud800"'],
    ['Users', 'userName co "\\udc00"'],
    ['Groups', 'displayName co "\\u0000"'],
    ['Groups', 'displayName eq "\\u0000"'],
    ['Groups', 'externalId sw "\\u0000"'],
    ['Groups', 'members[value eq "\\u0000"]'],
  ])('answers 400 invalidFilter to %s with %s', async (type, filter) => {
    const { status, body } = await client.filter(type, filter);
    expect([status, body]).toEqual([400, scimError(400, expect.any(String), 'invalidFilter')]);
  });

  test.each(['Users', 'Groups'] as const)('answers 503 when a list of %s takes too long', async (type) => {
    const { ssoIdentities, departments } = service.db;
    const stored = type === 'Users' ? ssoIdentities : departments;
    const counting = vi
      .spyOn(stored as typeof departments, 'countDocuments')
      .mockRejectedValue(new MongoServerError({ message: 'operation exceeded time limit', code: 50 }));
    const { status, body } = await client.call('GET', `/${type}`);
    expect([status, body]).toEqual([503, scimError(503, 'The list takes too long; use a narrower filter')]);
    expect(counting).toHaveBeenCalledWith(expect.anything(), { maxTimeMS: 5_000 });
    counting.mockRestore();
  });

  test.each([
    ['500 parentheses', `${'('.repeat(500)}userName pr${')'.repeat(500)}`],
    ['200 negations', `${'not ('.repeat(200)}userName pr${')'.repeat(200)}`],
    ['51 comparisons', Array.from({ length: 51 }, () => 'userName pr').join(' or ')],
    ['2,000 characters', `userName eq "${'x'.repeat(2_000)}"`],
    ['an open string of backslashes', `userName eq "${'\\'.repeat(1_001)}`],
    ['quotes', '"'.repeat(999)],
    ['brackets', '['.repeat(1_500)],
    ['spaces', ' '.repeat(1_500).concat('!')],
  ])('answers 400 invalidFilter to %s', async (_, filter) => {
    const { status, body } = await client.filter('Users', filter);
    expect([status, body]).toEqual([400, scimError(400, expect.any(String), 'invalidFilter')]);
  });

  test('takes wildcards and operators in values literally', async () => {
    for (const value of ['.*', '^', '$', '(a+)+$', '[a-z]', '$gt', '\\\\d'])
      expect(namesOf(await client.filter('Users', `userName co "${value}"`))).toEqual([]);
  });
});

describe('pages', () => {
  test('returns all of 1,500 users once, page by page', async () => {
    const seen: string[] = [];
    for (let startIndex = 1; startIndex <= CROWD; startIndex += 500) {
      const { body } = await crowd.call(
        'GET',
        `/Users?startIndex=${startIndex}&count=500&excludedAttributes=groups`,
      );
      expect(body).toMatchObject({ totalResults: CROWD, startIndex, itemsPerPage: 500 });
      seen.push(...body.Resources.map(({ userName }: { userName: string }) => userName));
    }
    expect(seen).toEqual([...seen].sort());
    expect(new Set(seen).size).toBe(CROWD);
  });

  test.each([
    ['startIndex=1499&count=10', 2],
    ['startIndex=1501&count=10', 0],
    ['startIndex=99999999999999&count=10', 0],
    ['startIndex=0&count=3', 3],
    ['startIndex=-5&count=3', 3],
    ['count=0', 0],
    ['count=-1', 0],
    ['count=100000', 500],
    ['', 100],
  ])('%s returns %i users', async (query, length) => {
    const { status, body } = await crowd.call('GET', `/Users?${query}`);
    expect(status).toBe(200);
    expect(body).toMatchObject({ totalResults: CROWD, itemsPerPage: length });
    expect(body.Resources).toHaveLength(length);
  });

  test('sorts in either order', async () => {
    const last = await crowd.call('GET', '/Users?sortBy=userName&sortOrder=descending&count=2');
    expect(namesOf(last)).toEqual(['u01499', 'u01498']);
    const later = await crowd.call('GET', '/Users?sortOrder=descending&count=2&startIndex=1499');
    expect(namesOf(later)).toEqual(['u00001', 'u00000']);
    expect(namesOf(await client.call('GET', '/Users?sortBy=externalId'))).toEqual(['Ada', 'bob', 'carol']);
  });

  test('pages a filter', async () => {
    const { body } = await crowd.call('GET', '/Users?filter=userName+sw+%22u0149%22&startIndex=3&count=3');
    expect(body.totalResults).toBe(10);
    expect(namesOf({ body })).toEqual(['u01492', 'u01493', 'u01494']);
  });

  test('searches with a body', async () => {
    const search = {
      schemas: ['urn:ietf:params:scim:api:messages:2.0:SearchRequest'],
      filter: 'userName sw "u0000"',
      attributes: ['userName'],
      startIndex: 2,
      count: 2,
    };
    const { body } = await crowd.call('POST', '/Users/.search', search);
    expect(body).toMatchObject({ totalResults: 10, startIndex: 2, itemsPerPage: 2 });
    expect(Object.keys(body.Resources[0]).sort()).toEqual(['id', 'schemas', 'userName']);
  });

  test.each([
    'count=many',
    'count=1.5',
    'count=1&count=2',
    'startIndex=x',
    'sortBy=password',
    'sortBy=scim.user_name_key',
    'sortBy=__proto__',
    'sortOrder=sideways',
    'filter=userName+pr&filter=active+eq+true',
    'attributes=userName&excludedAttributes=emails',
  ])('answers 400 to %s', async (query) => {
    const { status, body } = await client.call('GET', `/Users?${query}`);
    expect([status, body]).toEqual([400, scimError(400, expect.any(String), 'invalidValue')]);
  });
});
