import type { Role } from '@gatehouse/shared/access/rbac';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Chatbot } from '../../../services/user/chatbots/records.ts';
import { outcome } from '../../fixtures/envelope.ts';
import type { Person, Place } from './chatbot-service.ts';
import { service, withChatbots } from './with-chatbots.ts';

/** Ada owns the first organization, Bob the second; the others are named after their role in a department. */
let ada: Person;
let bob: Person;
let viewer: Person;
let analyst: Person;
let editor: Person;
let eve: Person;
let sales: Place;
let support: Place;
let foreign: Place;
/** The chatbots by name. */
const chatbots: Record<string, Chatbot> = {};
withChatbots();
beforeAll(async () => {
  const people: Person[] = [];
  for (let number = 0; number < 6; number += 1) people.push(await service.newPerson());
  [ada, bob, viewer, analyst, editor, eve] = people as [Person, Person, Person, Person, Person, Person];
  const [first, second] = await service.newOrganization([ada], 2);
  [sales, support] = [first, second as Place];
  [foreign] = await service.newOrganization([bob]);
  await service.storeMember(viewer, { ...sales, role: 'Viewer' });
  await service.storeMember(analyst, { ...sales, role: 'Analyst' });
  await service.storeMember(editor, { ...support, role: 'Editor' });
  await service.storeMember(editor, { ...sales, role: 'Viewer' });

  const create = async (person: Person, name: string, place?: Place) => {
    service.clock.advance(1);
    const department_id = place?.department_id;
    chatbots[name] = await person.create({ name, ...(department_id && { department_id }) });
  };
  await create(ada, 'sales 1', sales);
  await create(ada, 'sales 2', sales);
  await create(ada, 'sales 3', sales);
  await create(editor, 'support 1', support);
  await create(ada, 'support 2', support);
  await create(bob, 'foreign 1', foreign);
  await create(bob, 'foreign 2', foreign);
  await create(viewer, 'viewer 1');
  await create(eve, 'eve 1');
  await create(eve, 'eve 2');
  const grant = (by: Person, name: string, to: Person, role: Role) =>
    by.grant(chatbots[name] as Chatbot, to, role);
  await grant(ada, 'sales 2', viewer, 'Analyst'); // lower than in the department
  await grant(ada, 'sales 3', viewer, 'Owner');
  await grant(ada, 'sales 3', analyst, 'Viewer'); // higher
  await grant(eve, 'eve 1', viewer, 'Editor');
  await grant(eve, 'eve 1', analyst, 'Analyst');
  await grant(eve, 'eve 2', ada, 'Viewer');
});

const names = ({ body }: { body: { data: Chatbot[] } }) => body.data.map(({ name }) => name).sort();
const VISIBLE: [string, () => Person, string[]][] = [
  [
    "an organization's Owner",
    () => ada,
    ['eve 2', 'sales 1', 'sales 2', 'sales 3', 'support 1', 'support 2'],
  ],
  ["another organization's Owner", () => bob, ['foreign 1', 'foreign 2']],
  ['a Viewer', () => viewer, ['eve 1', 'sales 1', 'sales 3', 'viewer 1']],
  ['an Analyst', () => analyst, ['sales 3']],
  ['a member of two departments', () => editor, ['sales 1', 'sales 2', 'sales 3', 'support 1', 'support 2']],
  ['a member of no department', () => eve, ['eve 1', 'eve 2']],
];

describe.each(VISIBLE)('%s', (_who, who, visible) => {
  test('sees each visible chatbot once, and their count', async () => {
    const { status, body } = await who().list('sort_by=created_at&order=asc');
    expect({ status, body }).toStrictEqual({
      status: 200,
      body: {
        data: visible
          .map((name) => chatbots[name] as Chatbot)
          .sort((a, b) => (a.created_at < b.created_at ? -1 : 1)),
        pagination: {
          page: 1,
          limit: 20,
          total_items: visible.length,
          total_pages: 1,
          has_next: false,
          has_prev: false,
        },
      },
    });
  });

  test('sees the same chatbots page by page, where the sorted field is equal or null', async () => {
    for (const field of ['owner_id', 'department_id']) {
      const pages = [];
      for (let page = 1; page <= Math.ceil(visible.length / 2); page += 1) {
        const { body } = await who().list(`sort_by=${field}&order=asc&limit=2&page=${page}`);
        expect(body.pagination).toMatchObject({
          total_items: visible.length,
          total_pages: Math.ceil(visible.length / 2),
          has_next: page * 2 < visible.length,
        });
        pages.push(...body.data);
      }
      expect(pages.map(({ name }) => name).sort(), field).toEqual(visible);
    }
  });

  test.each(['sales', 'FOREIGN', 'eve', '2', 'viewer'])('finds them by %s', async (text) => {
    const answer = await who().list(`search=${text}`);
    const expected = visible.filter((name) => name.includes(text.toLowerCase()));
    expect(names(answer)).toStrictEqual(expected);
    expect(answer.body.pagination.total_items).toBe(expected.length);
  });

  test('filters them by department and by organization', async () => {
    for (const place of [sales, support, foreign])
      for (const [name, value] of Object.entries(place)) {
        const answer = await who().list(`${name}=${value}`);
        const expected = visible.filter((each) => chatbots[each]?.[name as keyof Place] === value);
        expect(names(answer), name).toEqual(expected);
        expect(answer.body.pagination.total_items).toBe(expected.length);
      }
  });

  test('gets an empty list for a department of another organization', async () => {
    const { organization_id } = foreign;
    const { department_id } = sales;
    const answer = await who().list(`organization_id=${organization_id}&department_id=${department_id}`);
    expect(answer.body).toMatchObject({ data: [], pagination: { total_items: 0, total_pages: 0 } });
  });
});

test('filtering by an invisible department is like filtering by an unknown one', async () => {
  const nothing = outcome(await eve.list('department_id=nothing'));
  expect(nothing).toStrictEqual({
    status: 200,
    body: {
      data: [],
      pagination: { page: 1, limit: 20, total_items: 0, total_pages: 0, has_next: false, has_prev: false },
    },
  });
  for (const place of [sales, support, foreign])
    for (const [name, value] of Object.entries(place))
      for (const more of ['', '&search=s', '&status=active', '&sort_by=department_id&order=asc'])
        expect(outcome(await eve.list(`${name}=${value}${more}`))).toStrictEqual(nothing);
  for (const odd of ['null', '%24ne', '__proto__', 'x'.repeat(200)])
    expect(outcome(await eve.list(`department_id=${odd}`))).toStrictEqual(nothing);
});

test('a lost role takes effect at once', async () => {
  const person = await service.newPerson();
  await service.storeMember(person, { ...sales, role: 'Viewer' });
  expect((await person.list()).body.pagination.total_items).toBe(3);
  await ada.grant(chatbots['sales 1'] as Chatbot, person, 'Analyst');
  expect(names(await person.list())).toEqual(['sales 2', 'sales 3']);
  await service.db.memberships.deleteOne({ user_id: String(person.user_id) });
  expect((await person.list()).body).toMatchObject({ data: [], pagination: { total_items: 0 } });
});
