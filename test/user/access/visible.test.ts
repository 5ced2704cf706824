import { PERMISSIONS, ROLES } from '@gatehouse/shared/access/rbac';
import type { DatabaseConnection } from '@gatehouse/shared/data/connect';
import { anyOf } from '@gatehouse/shared/operation/lists';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { roleOn, visibleTo } from '../../../services/user/access/chatbot-roles.ts';
import type { Roles } from '../../../services/user/access/roles.ts';
import { chatbotCollections, type StoredChatbot } from '../../../services/user/chatbots/records.ts';
import { freshDatabase } from '../../fixtures/database.ts';
import { may } from '../../fixtures/permissions.ts';
import { runs } from '../../fixtures/property.ts';

let db: DatabaseConnection<typeof chatbotCollections>;
let drop: () => Promise<void>;
beforeAll(async () => {
  ({ db, drop } = await freshDatabase(chatbotCollections));
});
afterAll(() => drop());

const PEOPLE = ['ada', 'bob', 'eve'];
const PLACES = [
  { organization_id: null, department_id: null },
  { organization_id: 'first', department_id: 'first sales' },
  { organization_id: 'first', department_id: 'first support' },
  { organization_id: 'second', department_id: 'second sales' },
];
/** One permission for each distinct set of roles in the table. */
const BY_ROLES = [
  ...Map.groupBy(PERMISSIONS, (permission) => ROLES.filter((each) => may(each, permission)).join()).values(),
].map(([first]) => first as (typeof PERMISSIONS)[number]);
const role = fc.constantFrom(...ROLES);
const person = fc.constantFrom(...PEOPLE);
const chatbot = fc.record({
  place: fc.constantFrom(...PLACES),
  owner_id: person,
  permissions: fc.option(
    fc.uniqueArray(fc.record({ user_id: person, role }), {
      selector: ({ user_id }) => user_id,
      maxLength: 3,
    }),
    { nil: undefined },
  ),
});
/** As `rolesOf` returns them: an Owner of an organization is Owner in each of its departments. */
const roles = fc
  .record({
    owned: fc.subarray(['first', 'second']),
    given: fc.tuple(...PLACES.slice(1).map(() => fc.option(role, { nil: undefined }))),
  })
  .map(
    ({ owned, given }): Roles => ({
      owned: new Set(owned),
      archived: new Map(),
      graceEnds: new Map(),
      departments: PLACES.slice(1).flatMap((place, index) => {
        const organization_id = String(place.organization_id);
        const held = owned.includes(organization_id) ? ('Owner' as const) : given[index];
        return held ? [{ organization_id, department_id: String(place.department_id), role: held }] : [];
      }),
    }),
  );

test('visibleTo matches the chatbots that roleOn permits, and counts each once', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(chatbot, { minLength: 1, maxLength: 12 }),
      roles,
      fc.constantFrom(...BY_ROLES),
      async (records, held, permission) => {
        const stored = records.map(
          ({ place, ...fields }, number) =>
            ({ chatbot_id: `bot-${10 + number}`, ...place, ...fields }) as unknown as StoredChatbot,
        );
        await db.chatbots.deleteMany();
        await db.chatbots.insertMany(
          stored.map((each) => ({ ...each })),
          { ignoreUndefined: true },
        );
        const visible = visibleTo('ada', held, permission);
        const found = await db.chatbots.find(anyOf(visible)).sort({ chatbot_id: 1 }).toArray();
        const expected = stored.filter((each) => may(roleOn(each, 'ada', held), permission));
        expect(found.map(({ chatbot_id }) => chatbot_id)).toEqual(
          expected.map(({ chatbot_id }) => chatbot_id),
        );

        let counted = 0;
        for (const { within, except = [] } of visible) {
          counted += await db.chatbots.countDocuments(within);
          for (const each of except)
            counted -= await db.chatbots.countDocuments({ $and: [within, each] } as typeof within);
        }
        expect(counted).toBe(expected.length);
      },
    ),
    runs(50),
  );
});
