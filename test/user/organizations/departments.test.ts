import { describe, expect, test } from 'vitest';
import { outcome } from '../../fixtures/envelope.ts';
import { rounds } from '../../fixtures/property.ts';
import { duplicate, malformed, missing } from '../access/failures.ts';
import { BAD_BODIES, BAD_NAMES, BAD_QUERIES, concurrently, onePage, UUID } from './organization-service.ts';
import { service, team, withOrganizations, withTeam } from './with-organizations.ts';

withOrganizations();
withTeam();

const create = (name: unknown, { ada, organization_id } = team) =>
  ada.call('POST', `/${organization_id}/departments`, { name });

describe('POST /api/v1/organizations/{organization_id}/departments', () => {
  test('answers 201 with the record, and stores a billing record with it', async () => {
    const answer = await create('  Customer support\t');
    const { organization_id } = team;
    const department = {
      department_id: UUID,
      organization_id,
      name: 'Customer support',
      created_at: service.at(),
    };
    expect(outcome(answer)).toStrictEqual({ status: 201, body: department });
    const { department_id } = answer.body;
    expect(await service.db.departments.findOne({ department_id })).toStrictEqual({
      _id: expect.anything(),
      ...answer.body,
      name_key: ['customer support', 'Customer support'],
      billing: {
        subscription_plan: 'Free',
        payment_status: 'pending',
        subscription_date: service.at().slice(0, 10),
        updated_at: service.at(),
      },
    });
    const place = `/${organization_id}/departments/${department_id}`;
    expect(outcome(await team.ada.call('GET', place))).toStrictEqual({ status: 200, body: answer.body });
    expect(outcome(await team.ada.call('GET', `${place}/members`))).toStrictEqual(onePage());
  });

  test.each([
    ['Sales', 'sales'],
    ['Sales 2', ' SALES 2 '],
    ['Straße', 'STRASSE'],
    ['Café', 'Cafe\u0301'],
    ['ΣΟΦΟΣ', 'σοφος'],
    ['Payroll', 'Payro\u217c\u217c'], // Roman numeral fifty
    ['Finance', '\uff26inance'], // full width
    ['Legal', 'Lega\u04cf'], // Cyrillic palochka
    ['Support', 'ЅUPPORT'], // Cyrillic dze
    ['People', '\u03a1eople'], // Greek rho
    ['Billing', 'BiIIing'],
    ['Team 10', 'Team lO'],
    ['Front  office', 'Front\u00a0office'],
    ['R-D', 'R\u2010D'],
  ])('refuses a name that is taken: %s, then %s', async (first, second) => {
    expect((await create(first)).status).toBe(201);
    const before = await team.stored();
    expect(outcome(await create(second))).toStrictEqual(duplicate(service.clock));
    expect(await team.stored()).toStrictEqual(before);
    // Another organization may use the same name.
    expect((await create(first, await service.newTeam())).status).toBe(201);
  });

  test('creates one of ten concurrent departments of one name', async () => {
    for (let round = 0; round < 2; round += 1) {
      const answers = await concurrently(10, (turn) => create(`${turn % 2 ? 'RACE' : 'race'} ${round}`));
      expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(9).fill(409)]);
      for (const answer of answers.filter(({ status }) => status === 409))
        expect(outcome(answer)).toStrictEqual(duplicate(service.clock));
      expect(await service.db.departments.countDocuments({ name_key: `race ${round}` })).toBe(1);
    }
  });

  test.each([
    ['Mail', 'Mall'],
    ['Crème', 'Creme'],
    ['北京', '東京'],
    ['Отдел', 'Отдал'],
  ])('accepts names that look different: %s and %s', async (first, second) => {
    for (const name of [first, second]) expect((await create(name)).status).toBe(201);
  });

  test.each(BAD_NAMES)('refuses the name %j and writes nothing', async (name, details) => {
    const before = await team.stored();
    expect(outcome(await create(name))).toStrictEqual(malformed(details, service.clock));
    expect(await team.stored()).toStrictEqual(before);
  });

  test('requires a name, and ignores read-only fields', async () => {
    const before = await team.stored();
    const { ada, organization_id } = team;
    const post = (body: unknown) => ada.call('POST', `/${organization_id}/departments`, body);
    expect(outcome(await post({}))).toStrictEqual(missing('name is required', service.clock));
    expect(outcome(await post(''))).toStrictEqual(missing('body is required', service.clock));
    for (const [what, body] of BAD_BODIES)
      expect(outcome(await post(body)), what).toStrictEqual(malformed(expect.any(String), service.clock));
    expect(await team.stored()).toStrictEqual(before);
    const claims = {
      name: 'Claims',
      department_id: 'mine',
      organization_id: 'mine',
      billing: {},
      name_key: '',
    };
    expect((await post(claims)).body).toStrictEqual({
      department_id: UUID,
      organization_id,
      name: 'Claims',
      created_at: service.at(),
    });
  });
});

describe('GET /api/v1/organizations/{organization_id}/departments', () => {
  test('lists all to an Owner, and to others the departments in which they have a role', async () => {
    const { ada, organization_id, department, people } = await service.newTeam();
    const outsider = await service.newTeam();
    const places = [];
    for (const name of ['Beta', 'alpha', 'Gamma']) {
      service.clock.advance(1);
      places.push(await service.newDepartment(ada, organization_id, name));
    }
    const [beta, alpha, gamma] = places.map(({ record }) => record);
    await service.addMember(ada, String(places[1]?.place), people.Analyst, 'Viewer');
    // A role in another organization does not matter here.
    await service.addMember(outsider.ada, outsider.place, people.Viewer, 'Owner');
    const list = (query = '') => `/${organization_id}/departments${query}`;
    const { Analyst, Viewer } = people;
    expect(outcome(await ada.call('GET', list()))).toStrictEqual(onePage(gamma, alpha, beta, department));
    expect(outcome(await Analyst.call('GET', list()))).toStrictEqual(onePage(alpha, department));
    expect(outcome(await Viewer.call('GET', list()))).toStrictEqual(onePage(department));
    expect(outcome(await ada.call('GET', list('?search=ALPHA')))).toStrictEqual(onePage(alpha));
    expect(outcome(await Viewer.call('GET', list('?search=a&sort_by=name&order=asc')))).toStrictEqual(
      onePage(department),
    );
    expect((await ada.call('GET', list('?limit=3&page=2&order=asc'))).body).toStrictEqual({
      data: [gamma],
      pagination: { page: 2, limit: 3, total_items: 4, total_pages: 2, has_next: false, has_prev: true },
    });
  });

  test.each([
    ...BAD_QUERIES,
    ['sort_by=billing', 'sort_by must be one of created_at, name, department_id'],
    ['sort_by=name_key', 'sort_by must be one of created_at, name, department_id'],
    ['department_id=x', 'querystring holds an unknown parameter'],
  ])('refuses ?%s', async (query, details) => {
    expect(
      outcome(await team.ada.call('GET', `/${team.organization_id}/departments?${query}`)),
    ).toStrictEqual(malformed(details, service.clock));
  });
});

describe('PATCH /api/v1/organizations/{organization_id}/departments/{department_id}', () => {
  test('renames, and leaves the id, the billing record and the members unchanged', async () => {
    const { ada, place, department, people, stored } = await service.newTeam();
    const before = await stored();
    const renamed = { ...department, name: 'Customer support' };
    const change = {
      name: ' Customer support ',
      billing: {},
      department_id: 'mine',
      organization_id: 'mine',
    };
    expect(outcome(await ada.call('PATCH', place, change))).toStrictEqual({ status: 200, body: renamed });
    expect(outcome(await people.Analyst.call('GET', place))).toStrictEqual({ status: 200, body: renamed });
    const named = { name: 'Customer support', name_key: ['customer support', 'Customer support'] };
    expect(await stored()).toStrictEqual(
      before.map((document) => ('name_key' in document ? { ...document, ...named } : document)),
    );
    // Its own name in another spelling is not taken, and the former name is free again.
    expect((await ada.call('PATCH', place, { name: 'CUSTOMER SUPPORT' })).status).toBe(200);
    expect((await ada.call('PATCH', place, { name: department.name })).status).toBe(200);
  });

  test('refuses the name of another department', async () => {
    const { ada, organization_id, place, stored } = await service.newTeam();
    await service.newDepartment(ada, organization_id, 'Sales');
    const before = await stored();
    expect(outcome(await ada.call('PATCH', place, { name: 'SALES' }))).toStrictEqual(
      duplicate(service.clock),
    );
    expect(await stored()).toStrictEqual(before);
  });

  test('one of two departments that concurrently take a name gets it', async () => {
    const { ada, organization_id } = await service.newTeam();
    for (let round = 0; round < rounds(3); round += 1) {
      const places = [
        (await service.newDepartment(ada, organization_id)).place,
        (await service.newDepartment(ada, organization_id)).place,
      ];
      const answers = await Promise.all(
        places.map((place) => ada.call('PATCH', place, { name: `Wanted ${round}` })),
      );
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    }
  });

  test('refuses an invalid name and writes nothing', async () => {
    const before = await team.stored();
    const patch = async (body: unknown) => outcome(await team.ada.call('PATCH', team.place, body));
    for (const [name, details] of BAD_NAMES)
      expect(await patch({ name })).toStrictEqual(malformed(details, service.clock));
    for (const [what, body] of BAD_BODIES)
      expect(await patch(body), what).toStrictEqual(malformed(expect.any(String), service.clock));
    expect(await patch({})).toStrictEqual(missing('name is required', service.clock));
    expect(await team.stored()).toStrictEqual(before);
  });
});
