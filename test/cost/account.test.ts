import { expect, test } from 'vitest';
import { send, sendJson } from '../fixtures/http.ts';
import { bearerOf, member, newMember } from '../fixtures/members.ts';
import { type WatchedService, withUserService } from './with-user-service.ts';

let database: WatchedService['database'];
let clock: WatchedService['clock'];
let url: string;
withUserService((started) => {
  ({ database, clock, url } = started);
});

/** The status of a call to the profile, and the commands that it costs. */
async function costOf(authorization: string | undefined, change?: object, path = '/api/v1/users/me') {
  database.commands.length = 0;
  const headers = authorization === undefined ? {} : { authorization };
  const { status } = change
    ? await sendJson('PATCH', `${url}${path}`, change, headers)
    : await send(`${url}${path}`, { headers });
  return [status, ...database.commands];
}

test('a profile is read by the bearer check', async () => {
  const { authorization } = await member(database.db, clock);
  expect(await costOf(authorization)).toEqual([200, 'find']);
  const old = await newMember(database.db, { user_id: undefined });
  expect(await costOf(bearerOf(old, clock.now()))).toEqual([200, 'find']);
});

test('a change of the profile is one write and its audit event', async () => {
  const { authorization } = await member(database.db, clock);
  expect(await costOf(authorization, { name: 'B' })).toEqual([200, 'find', 'findAndModify', 'insert']);
});

test('a refused call costs at most the bearer check', async () => {
  const { authorization } = await member(database.db, clock);
  expect(await costOf(authorization, {})).toEqual([400, 'find']);
  expect(await costOf(authorization, undefined, '/nothing')).toEqual([404, 'find']);
  const unknown = bearerOf({ email: 'nobody@example.com', user_id: 'User-1' }, clock.now());
  expect(await costOf(unknown)).toEqual([401, 'find']);
  expect(await costOf(undefined)).toEqual([401]);
});

test('the roles of an account cost as many commands, whatever their number', async () => {
  const { authorization, user_id } = await member(database.db, clock);
  const at = new Date(clock.now()).toISOString();
  await database.db.organizations.insertMany(
    Array.from({ length: 5 }, (_, number) => ({
      organization_id: `organization ${number}`,
      name: 'Engines',
      owners: [{ user_id, granted_by: user_id, granted_at: at }],
      created_at: at,
    })),
  );
  const [status, ...commands] = await costOf(authorization, undefined, '/api/v1/users/me/roles');
  expect(status).toBe(200);
  // The bearer's user; roles, shared chatbots and their number at once; then the names.
  expect(commands.toSorted()).toEqual(['aggregate', 'aggregate', 'aggregate', 'find', 'find', 'find']);
});
