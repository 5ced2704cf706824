import { afterAll, beforeAll, expect, test } from 'vitest';
import { nameWords } from '../../../services/user/admin/people/name-words.ts';
import { PERSON_STATES, search } from '../../../services/user/admin/people/search.ts';
import { COLLECTIONS } from '../../../services/user/database.ts';
import { explained, freshDatabase } from '../../fixtures/database.ts';
import { accountRecord } from '../../fixtures/members.ts';

const PEOPLE = 2_000;
const LIMIT = 20;

let database: Awaited<ReturnType<typeof freshDatabase<typeof COLLECTIONS>>>;
beforeAll(async () => {
  database = await freshDatabase(COLLECTIONS);
  const at = new Date(9e12);
  const people = Array.from({ length: PEOPLE }, (_, index) => {
    const name = `Given${index % 10} Family${index}`;
    const rare = index % 100;
    return accountRecord({
      email: `person${index}@example.com`,
      user_id: `User-${100_000 + index}`,
      name,
      name_words: nameWords(name),
      ...(rare === 1 && { verified: false, account_status: 'paused' }),
      ...(rare === 2 && { account_status: 'disabled' }),
      ...(rare === 3 && { deletion: { requested_at: at, due_at: at, next: at } }),
      ...(rare === 4 && {
        second_factor: { id: 'e', secret: 's', enrolled_at: at, last_step: 0, recovery_codes: [] },
      }),
      ...(rare === 5 && { imported: { from: 'auth0', at } }),
    });
  });
  await database.db.users.insertMany(people);
});
afterAll(() => database.drop());

/** What a search reads: the plans of its queries, and the documents that each examines. */
const cost = (text: string, state?: string, order = 'desc') =>
  explained(
    database.db,
    () => search(database.db, { search: text, state, order }, { last: LIMIT, maxCount: 1_000 }),
    { find: 'users' },
  );

test.each([
  ['an e-mail prefix', 'person1', LIMIT],
  ['an e-mail prefix in other letters', 'PERSON1', LIMIT],
  ['an e-mail', 'person1234@example.com', 1],
  ['a prefix of nobody', 'zzz', 0],
  ['a pattern', 'person.*', 0],
  ['the beginning of a name', 'family1', LIMIT],
  ['two words, of which the longer one is rare', 'given1 family1234', 2],
  ['a user_id', 'User-100007', 1],
  ['a user_id of nobody', 'user-999999', 0],
  ['nothing, newest first', '', LIMIT],
  ['a letter that every address begins with', 'p', LIMIT],
])('a search for %s reads an index, and no more people than it shows', async (_, text, most) => {
  const plans = await cost(text);
  expect(plans.length).toBeGreaterThan(0);
  for (const { plan, examined } of plans) {
    expect(plan).not.toContain('COLLSCAN');
    expect(examined).toBeLessThanOrEqual(most);
  }
});

test.each(PERSON_STATES.map((state) => [state]))('the state %s reads an index', async (state) => {
  for (const { plan, examined } of await cost('', state)) {
    expect(plan).not.toContain('COLLSCAN');
    expect(examined).toBeLessThanOrEqual(LIMIT);
  }
});

test.each([
  ['disabled', 'person'],
  ['disabled', 'given1'],
  ['second_factor', 'person1'],
  ['imported', 'family1'],
])('of everybody in the state %s, %j does not read everybody', async (state, text) => {
  for (const { plan } of await cost(text, state)) expect(plan).not.toContain('COLLSCAN');
});
