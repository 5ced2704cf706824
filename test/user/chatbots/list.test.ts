import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { suffixesOf } from '../../../services/user/chatbots/name-search.ts';
import type { Chatbot } from '../../../services/user/chatbots/records.ts';
import { explained } from '../../fixtures/database.ts';
import { outcome } from '../../fixtures/envelope.ts';
import { runs } from '../../fixtures/property.ts';
import { malformed } from '../access/failures.ts';
import { type Person, RECEPTIONIST } from './chatbot-service.ts';
import { ada, bob, service, withChatbots, withPeople } from './with-chatbots.ts';

withChatbots();
withPeople();

const names = async (person: Person, query: string) =>
  (await person.list(query)).body.data.map(({ name }: Chatbot) => name);

let stored = 0;
/** Stores chatbots directly. */
async function store(owner_id: string | null, fields: Partial<Chatbot>[]): Promise<Chatbot[]> {
  const chatbots = fields.map((some): Chatbot => {
    stored += 1;
    return {
      chatbot_id: `bot-${String(stored).padStart(6, '0')}`,
      ...RECEPTIONIST,
      status: 'active',
      owner_id: String(owner_id),
      organization_id: null,
      department_id: null,
      created_at: '2026-01-15T09:30:00.000Z',
      updated_at: '2026-01-15T09:30:00.000Z',
      ...some,
    };
  });
  if (chatbots.length > 0)
    await service.db.chatbots.insertMany(
      chatbots.map((chatbot) => ({ ...chatbot, name_suffixes: suffixesOf(chatbot.name) })),
    );
  return chatbots;
}

const FIELDS = Object.keys({
  chatbot_id: 0,
  name: 0,
  type: 0,
  avatar_id: 0,
  language: 0,
  status: 0,
  owner_id: 0,
  organization_id: 0,
  department_id: 0,
  created_at: 0,
  updated_at: 0,
} satisfies Record<keyof Chatbot, 0>) as (keyof Chatbot)[];

describe('GET /api/v1/chatbots', () => {
  test('returns an empty list', async () => {
    expect(outcome(await ada.list())).toStrictEqual({
      status: 200,
      body: {
        data: [],
        pagination: { page: 1, limit: 20, total_items: 0, total_pages: 0, has_next: false, has_prev: false },
      },
    });
  });

  test('returns the newest first, twenty on a page', async () => {
    const created: Chatbot[] = [];
    for (let number = 0; number < 21; number += 1) {
      created.unshift(await ada.create({ name: `Porter ${number}` }));
      service.clock.advance(1);
    }
    expect(outcome(await ada.list())).toStrictEqual({
      status: 200,
      body: {
        data: created.slice(0, 20),
        pagination: { page: 1, limit: 20, total_items: 21, total_pages: 2, has_next: true, has_prev: false },
      },
    });
    expect(outcome(await ada.list('page=2'))).toStrictEqual({
      status: 200,
      body: {
        data: created.slice(20),
        pagination: { page: 2, limit: 20, total_items: 21, total_pages: 2, has_next: false, has_prev: true },
      },
    });
  });

  test.each([3, 1_000_000, 90071992547409])('page %i, past the end, is empty', async (page) => {
    await store(ada.user_id, [{}, {}, {}]);
    expect(outcome(await ada.list(`page=${page}&limit=2`))).toStrictEqual({
      status: 200,
      body: {
        data: [],
        pagination: { page, limit: 2, total_items: 3, total_pages: 2, has_next: false, has_prev: true },
      },
    });
  });

  test('returns up to a hundred on a page', async () => {
    const created = await store(ada.user_id, Array(250).fill({}));
    const pages = await Promise.all([1, 2, 3].map((page) => ada.list(`limit=100&page=${page}`)));
    expect(pages.map(({ body }) => body.data.length)).toEqual([100, 100, 50]);
    expect(pages.flatMap(({ body }) => body.data)).toStrictEqual(created.toReversed());
  });

  describe('search is literal and ignores case', () => {
    const all = [
      'Receptionist',
      'RECEPTION (Copy)',
      '.*',
      '^a$',
      'a|b',
      'C:\\Temp',
      '[x-y]{2}+?',
      '(?i)x',
      'Zürich',
      '100% -/#',
      'two  spaces',
    ];
    test.each([
      ['reception', ['RECEPTION (Copy)', 'Receptionist']],
      ['(COPY)', ['RECEPTION (Copy)']],
      ['.*', ['.*']],
      ['.', ['.*']],
      ['^a$', ['^a$']],
      ['a|B', ['a|b']],
      ['\\t', ['C:\\Temp']],
      ['\\', ['C:\\Temp']],
      ['[X-Y]{2}+?', ['[x-y]{2}+?']],
      ['(?I)', ['(?i)x']],
      ['ZÜR', ['Zürich']],
      ['% -/#', ['100% -/#']],
      ['o  s', ['two  spaces']],
      ['o s', []],
      ['nist ', []],
      ['[', ['[x-y]{2}+?']],
      ['$', ['^a$']],
      ['(((((', []],
      ['(a+)+$', []],
      ['__proto__', []],
      ['x'.repeat(200), []],
    ])('%s', async (search, expected) => {
      await store(
        ada.user_id,
        all.map((name) => ({ name })),
      );
      const query = new URLSearchParams({ search, sort_by: 'name', order: 'asc' });
      expect(await names(ada, query.toString())).toEqual(expected);
    });

    test('an empty search finds everything', async () => {
      await store(ada.user_id, [{}, {}]);
      expect((await ada.list('search=')).body.pagination.total_items).toBe(2);
    });
  });

  test('filters by type and status', async () => {
    await store(ada.user_id, [
      { name: 'a', type: '3d', status: 'active' },
      { name: 'b', type: '3d', status: 'paused' },
      { name: 'c', type: 'text', status: 'paused' },
      { name: 'd', type: 'voice', status: 'active' },
    ]);
    const sorted = 'sort_by=name&order=asc';
    expect(await names(ada, `${sorted}&type=3d`)).toEqual(['a', 'b']);
    expect(await names(ada, `${sorted}&status=paused`)).toEqual(['b', 'c']);
    expect(await names(ada, `${sorted}&status=paused&type=3d`)).toEqual(['b']);
    expect(await names(ada, `${sorted}&status=paused&type=3d&search=B`)).toEqual(['b']);
    expect(await names(ada, `${sorted}&status=paused&type=voice`)).toEqual([]);
  });

  const page = 'page must be an integer from 1 to 90071992547409';
  const limit = 'limit must be an integer from 1 to 100';
  const sortBy =
    'sort_by must be one of created_at, updated_at, name, type, avatar_id, language, status, chatbot_id, owner_id, organization_id, department_id';
  const order = 'order must be one of asc, desc';
  const search = 'search must be a single line of 0 to 200 characters';
  const status = 'status must be one of active, paused';
  const type = 'type must be one of 3d, text, voice';
  const unknown = expect.stringMatching(/holds an unknown parameter$/);
  test.each([
    ['page=0', page],
    ['page=-1', page],
    ['page=1e3', page],
    ['page=1.0', page],
    ['page=+1', page],
    ['page=%2B1', page],
    ['page=%201', page],
    ['page=01', page],
    ['page=0x1', page],
    ['page=', page],
    ['page', page],
    ['page=one', page],
    ['page=٣', page],
    ['page=90071992547410', page],
    ['page=9007199254740993', page],
    [`page=${'9'.repeat(400)}`, page],
    ['page=NaN', page],
    ['page=Infinity', page],
    ['page=1&page=2', page],
    ['limit=0', limit],
    ['limit=101', limit],
    ['limit=-1', limit],
    ['limit=1e1', limit],
    ['limit=', limit],
    ['limit=10&limit=10', limit],
    ['sort_by=__proto__', sortBy],
    ['sort_by=constructor', sortBy],
    ['sort_by=_id', sortBy],
    ['sort_by=secret', sortBy],
    ['sort_by=Name', sortBy],
    ['sort_by=name.0', sortBy],
    ['sort_by=$natural', sortBy],
    ['sort_by=', sortBy],
    ['sort_by=name&sort_by=type', sortBy],
    ['order=up', order],
    ['order=ASC', order],
    ['order=1', order],
    ['order=', order],
    ['order=asc&order=desc', order],
    ['search=a&search=b', 'search must be given once'],
    ['search=%00', search],
    ['search=a%0Ab', search],
    [`search=${'x'.repeat(201)}`, search],
    ['status=deleted', status],
    ['status=', status],
    ['status=active&status=paused', status],
    ['type=3D', type],
    ['type=__proto__', type],
    ['owner_id=User-100000', unknown],
    ['name=x', unknown],
    ['foo=bar', unknown],
    ['foo', unknown],
    ['Page=1', unknown],
    ['page[]=1', unknown],
    ['status[$ne]=active', unknown],
    ['$where=1', unknown],
    ['__proto__=1', unknown],
    ['constructor=1', unknown],
    ['toString=1', unknown],
    ['_id=1', unknown],
    ['page=1&limit=20&offset=3', unknown],
  ])('refuses ?%s', async (query, details) => {
    await store(ada.user_id, [{}]);
    expect(outcome(await ada.list(query))).toStrictEqual(malformed(details, service.clock));
  });

  test("neither list, count, search nor order reveals another user's chatbots", async () => {
    await store(ada.user_id, [{ name: 'Ada 1' }, { name: 'Ada 2', type: 'text' }]);
    await store(bob.user_id, [{ name: 'Ada 0' }, { name: 'Ada 3', type: 'text' }, { name: 'Bob' }]);
    for (const query of ['', 'search=ada', ...FIELDS.map((field) => `sort_by=${field}`)]) {
      const { data, pagination } = (await ada.list(`${query}&limit=1`.replace(/^&/, ''))).body;
      expect(data.every(({ owner_id }: Chatbot) => owner_id === ada.user_id)).toBe(true);
      expect(pagination).toMatchObject({ total_items: 2, total_pages: 2 });
    }
    expect(await names(ada, 'type=text')).toEqual(['Ada 2']);
    expect(await names(ada, 'search=Bob')).toEqual([]);
    expect((await bob.list()).body.pagination.total_items).toBe(3);
  });

  test('reads a page of an owner without reading chatbots of others', async () => {
    await store(ada.user_id, Array(30).fill({}));
    await store(bob.user_id, Array(100).fill({}));
    for (const field of ['created_at', 'updated_at', 'name'])
      for (const order of ['asc', 'desc']) {
        const list = () => ada.list(`sort_by=${field}&order=${order}&limit=20`);
        const pages = await explained(service.db, list, { find: 'chatbots', limit: 20 });
        expect(
          pages.map(({ examined }) => examined),
          `${field} ${order}`,
        ).toEqual([20]);
      }
  });

  test('the pages of any query hold every record once, in the order of a model', async () => {
    const chatbot = fc.record({
      name: fc.constantFrom('a', 'A', 'b', 'ab', 'B.', 'ä', '🤖', '\uffee'),
      type: fc.constantFrom('3d' as const, 'text' as const, 'voice' as const),
      avatar_id: fc.constantFrom('1', '10', '2'),
      language: fc.constantFrom('en', 'EN', 'de'),
      status: fc.constantFrom('active' as const, 'paused' as const),
      created_at: fc.constantFrom('2026-01-15T09:30:00.000Z', '2026-01-15T09:30:00.001Z'),
      updated_at: fc.constantFrom('2026-01-15T09:30:00.000Z', '2027-01-15T09:30:00.000Z'),
    });
    const listQuery = fc.record(
      {
        limit: fc.integer({ min: 1, max: 7 }),
        sort_by: fc.constantFrom(...FIELDS),
        order: fc.constantFrom('asc', 'desc'),
        search: fc.constantFrom('', 'a', 'B', '.', 'ä', '🤖'),
        status: fc.constantFrom('active', 'paused'),
        type: fc.constantFrom('3d', 'text'),
      },
      { requiredKeys: ['limit'] },
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(chatbot, { maxLength: 15 }),
        fc.array(chatbot, { maxLength: 5 }),
        fc.array(listQuery, { minLength: 1, maxLength: 4 }),
        async (mine, others, queries) => {
          const [carol, dave] = [await service.newPerson(), await service.newPerson()];
          const own = await store(carol.user_id, mine);
          await store(dave.user_id, others);
          for (const query of queries) {
            const expected = model(own, query);
            const total_items = expected.length;
            const total_pages = Math.ceil(total_items / query.limit);
            for (let number = 1; number <= total_pages + 1; number += 1) {
              const parameters = new URLSearchParams({ page: String(number) });
              for (const [name, value] of Object.entries(query)) parameters.set(name, String(value));
              expect(outcome(await carol.list(parameters.toString()))).toStrictEqual({
                status: 200,
                body: {
                  data: expected.slice((number - 1) * query.limit, number * query.limit),
                  pagination: {
                    page: number,
                    limit: query.limit,
                    total_items,
                    total_pages,
                    has_next: number < total_pages,
                    has_prev: number > 1,
                  },
                },
              });
            }
          }
        },
      ),
      runs(25),
    );
  });

  test('concurrent callers see only their own chatbots while both create and delete', async () => {
    const [mine] = await Promise.all([ada.create(), bob.create()]);
    const busy = async (person: Person) => {
      const { chatbot_id } = await person.create();
      const { body } = await person.list('limit=100');
      await person.call('DELETE', `/${chatbot_id}`);
      return body.data as Chatbot[];
    };
    const lists = await Promise.all(Array.from({ length: 20 }, (_, turn) => busy(turn % 2 ? ada : bob)));
    for (const [turn, list] of lists.entries())
      for (const { owner_id } of list) expect(owner_id).toBe((turn % 2 ? ada : bob).user_id);
    expect((await ada.list()).body.data).toStrictEqual([mine]);
  });
});

interface Query {
  sort_by?: keyof Chatbot;
  order?: string;
  search?: string;
  status?: string;
  type?: string;
}

/** The expected list: null sorts before strings, strings sort by bytes, equal values by id. */
function model(own: Chatbot[], { sort_by = 'created_at', order = 'desc', search = '', ...filters }: Query) {
  const compare = (a: string | null, b: string | null) =>
    a === b ? 0 : a === null ? -1 : b === null ? 1 : Buffer.compare(Buffer.from(a), Buffer.from(b));
  const direction = order === 'asc' ? 1 : -1;
  return own
    .filter(({ name }) => name.toLowerCase().includes(search.toLowerCase()))
    .filter(({ status }) => !filters.status || filters.status === status)
    .filter(({ type }) => !filters.type || filters.type === type)
    .toSorted((a, b) => direction * (compare(a[sort_by], b[sort_by]) || compare(a.chatbot_id, b.chatbot_id)));
}
