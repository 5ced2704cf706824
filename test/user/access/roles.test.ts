import { ROLES, type Role } from '@gatehouse/shared/access/rbac';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Chatbot } from '../../../services/user/chatbots/records.ts';
import { outcome } from '../../fixtures/envelope.ts';
import { may } from '../../fixtures/permissions.ts';
import { type Person, type Place, RECEPTIONIST } from '../chatbots/chatbot-service.ts';
import { service, withChatbots } from '../chatbots/with-chatbots.ts';
import { forbidden, malformed, notFound } from './failures.ts';

let ada: Person;
let owner: Person;
let place: Place;
let next: Place | undefined;
withChatbots();
beforeAll(async () => {
  [ada, owner] = [await service.newPerson(), await service.newPerson()];
  [place, next] = await service.newOrganization([owner], 2);
  await service.storeMember(ada, { ...place, role: 'Owner' });
});

async function member(role: Role, where = place) {
  const person = await service.newPerson();
  await service.storeMember(person, { ...where, role });
  return person;
}

const byDepartment = async (role: Role): Promise<[Chatbot, Person]> => [
  await ada.create({ department_id: place.department_id }),
  await member(role),
];
const byListOver = (inherited: Role) => async (role: Role) => {
  const [chatbot, person] = await byDepartment(inherited);
  await ada.grant(chatbot, person, role);
  return [chatbot, person] as const;
};

/** The ways to get a role on a chatbot of Ada's. */
const WAYS = {
  'by the access list': async (role: Role) => {
    const [chatbot, person] = [await ada.create(), await service.newPerson()];
    await ada.grant(chatbot, person, role);
    return [chatbot, person] as const;
  },
  'by the department': byDepartment,
  'by the access list, above Analyst in the department': byListOver('Analyst'),
  'by the access list, below Owner in the department': byListOver('Owner'),
};

/** Tried in this order on one chatbot. */
const OPERATIONS = [
  ['GET', '', 'view chatbot', 200],
  ['GET', '/access', 'view users', 200],
  ['POST', '/duplicate', 'duplicate chatbot', 201],
  ['PATCH', '', 'edit chatbot', 200],
  ['DELETE', '', 'delete chatbot', 200],
] as const;

describe.each(Object.entries(WAYS))('a role %s', (way, prepare) => {
  test.each(ROLES)('permits %s exactly what the table says', async (role) => {
    const [chatbot, person] = await prepare(role);
    const { chatbot_id } = chatbot;
    const isVisible = may(role, 'view chatbot');
    const { data, pagination } = (await person.list('limit=100')).body;
    expect(data.filter((each: Chatbot) => each.chatbot_id === chatbot_id)).toStrictEqual(
      isVisible ? [chatbot] : [],
    );
    expect(pagination.total_items).toBe(data.length);

    for (const [method, path, permission, success] of OPERATIONS) {
      const operation = `${method} …${path}`;
      const before = await service.db.chatbots.findOne({ chatbot_id });
      const count = await service.db.chatbots.countDocuments();
      const body = method === 'PATCH' ? { name: 'Night porter' } : undefined;
      const answer = await person.call(method, `/${chatbot_id}${path}`, body);
      const after = await service.db.chatbots.findOne({ chatbot_id });
      // A copy is created in the department, where an Analyst may not create.
      const copies = path !== '/duplicate' || !way.includes('Analyst');
      if (may(role, permission) && copies) {
        expect(answer.status, operation).toBe(success);
        if (method === 'DELETE') expect(after).toBeNull();
        if (method === 'PATCH') expect(after?.name).toBe('Night porter');
        if (operation === 'GET …') expect(answer.body).toStrictEqual(chatbot);
        if (path === '/duplicate')
          expect(answer.body).toMatchObject({
            owner_id: person.user_id,
            organization_id: chatbot.organization_id,
            department_id: chatbot.department_id,
          });
      } else {
        const refusal = isVisible ? forbidden : notFound;
        expect(outcome(answer), operation).toStrictEqual(refusal(service.clock));
        expect(after).toStrictEqual(before);
        expect(await service.db.chatbots.countDocuments()).toBe(count);
      }
    }
  });
});

describe('without a role on the chatbot', () => {
  const strangers: Record<string, () => Promise<Person>> = {
    'a stranger': () => service.newPerson(),
    'a member of another department': () => member('Owner', next),
    'a member of another organization': async () => {
      const [elsewhere] = await service.newOrganization([ada]);
      return member('Owner', elsewhere);
    },
    'the Owner of another organization': async () => {
      const person = await service.newPerson();
      await service.newOrganization([person]);
      return person;
    },
    'a former member who is still on the access list': async () => {
      const person = await member('Owner');
      const chatbots = await service.db.chatbots.find({ department_id: place.department_id }).toArray();
      for (const chatbot of chatbots.slice(-1)) await ada.grant(chatbot, person, 'Owner');
      await service.db.memberships.deleteOne({ user_id: String(person.user_id) });
      return person;
    },
  };
  test.each(Object.entries(strangers))('%s gets 404', async (_who, newStranger) => {
    const chatbot = await ada.create({ department_id: place.department_id });
    const { chatbot_id } = chatbot;
    const person = await newStranger();
    const before = await service.db.chatbots.findOne({ chatbot_id });
    for (const [method, path] of OPERATIONS) {
      const body = method === 'PATCH' ? { name: 'Night porter' } : undefined;
      const answer = await person.call(method, `/${chatbot_id}${path}`, body);
      expect(outcome(answer), `${method} ${path}`).toStrictEqual(notFound(service.clock));
    }
    expect(await service.db.chatbots.findOne({ chatbot_id })).toStrictEqual(before);
    expect((await person.list()).body.pagination.total_items).toBe(0);
  });

  test('its creator gets 404 after being removed from the department', async () => {
    const person = await member('Editor');
    const { chatbot_id } = await person.create({ department_id: place.department_id });
    await service.db.memberships.deleteOne({ user_id: String(person.user_id) });
    for (const [method, path] of OPERATIONS) {
      const body = method === 'PATCH' ? { name: 'Night porter' } : undefined;
      const answer = await person.call(method, `/${chatbot_id}${path}`, body);
      expect(outcome(answer), `${method} ${path}`).toStrictEqual(notFound(service.clock));
    }
    expect((await person.list()).body.pagination.total_items).toBe(0);
    expect((await ada.call('DELETE', `/${chatbot_id}`)).status).toBe(200);
  });
});

test("the organization's Owner may do everything in its departments, whatever the access list says", async () => {
  for (const { department_id } of [place, next as Place]) {
    const chatbot = await owner.create({ department_id });
    const other = await service.newPerson();
    await service.db.chatbots.updateOne(
      { chatbot_id: chatbot.chatbot_id },
      {
        $set: {
          owner_id: String(other.user_id),
          permissions: [
            {
              user_id: String(owner.user_id),
              role: 'Analyst',
              granted_by: 'x',
              granted_at: chatbot.created_at,
            },
          ],
        },
      },
    );
    for (const [method, path, , success] of OPERATIONS) {
      const body = method === 'PATCH' ? { name: 'Night porter' } : undefined;
      expect((await owner.call(method, `/${chatbot.chatbot_id}${path}`, body)).status).toBe(success);
    }
  }
});

describe('POST /api/v1/chatbots/create with a department_id', () => {
  const create = (person: Person, department_id: unknown, more: object = {}) =>
    person.call('POST', '/create', { ...RECEPTIONIST, department_id, ...more });

  test.each(ROLES)('%s of the department', async (role) => {
    const person = await member(role);
    const count = await service.db.chatbots.countDocuments();
    const answer = await create(person, place.department_id, {
      organization_id: 'mine',
      owner_id: ada.user_id,
    });
    if (may(role, 'create chatbot')) {
      const at = new Date(service.clock.now()).toISOString();
      expect(outcome(answer)).toStrictEqual({
        status: 201,
        body: {
          ...RECEPTIONIST,
          chatbot_id: expect.any(String),
          status: 'active',
          owner_id: person.user_id,
          ...place,
          created_at: at,
          updated_at: at,
        },
      });
      expect(await service.storedChatbot(answer.body.chatbot_id)).toStrictEqual(answer.body);
    } else {
      expect(outcome(answer)).toStrictEqual(forbidden(service.clock));
      expect(await service.db.chatbots.countDocuments()).toBe(count);
    }
    expect((await create(person, undefined)).status).toBe(201); // everyone may create personal chatbots
  });

  test("permits the organization's Owner, even as an Analyst of the department", async () => {
    expect((await create(owner, place.department_id)).status).toBe(201);
    const both = await service.newPerson();
    const [other] = await service.newOrganization([both]);
    await service.storeMember(both, { ...other, role: 'Analyst' });
    expect((await create(both, other.department_id)).body).toMatchObject({
      ...other,
      owner_id: both.user_id,
    });
  });

  test('returns 404 for a department that is unknown or where the caller has no role', async () => {
    const person = await member('Owner');
    const [elsewhere] = await service.newOrganization([owner]);
    const count = await service.db.chatbots.countDocuments();
    for (const id of [
      next?.department_id,
      elsewhere.department_id,
      place.organization_id,
      'nothing',
      '__proto__',
      '$ne',
    ])
      expect(outcome(await create(person, id)), id).toStrictEqual(notFound(service.clock));
    expect(await service.db.chatbots.countDocuments()).toBe(count);
  });

  const text = 'department_id must be a string';
  test.each([
    [null, text],
    [7, text],
    [{ $ne: null }, text],
    [[], text],
    ['', 'department_id must be a single line of 1 to 200 characters'],
    ['x'.repeat(201), 'department_id must be a single line of 1 to 200 characters'],
  ])('%j is refused', async (department_id, details) => {
    expect(outcome(await create(owner, department_id))).toStrictEqual(malformed(details, service.clock));
  });
});
