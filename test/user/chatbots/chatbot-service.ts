import { randomUUIDv7 } from 'node:crypto';
import type { Role } from '@gatehouse/shared/access/rbac';
import { createServer } from '@gatehouse/shared/http/server';
import { requirePrincipal } from '@gatehouse/shared/identity/principal';
import { createTokens } from '@gatehouse/shared/identity/tokens';
import type { User } from '@gatehouse/shared/identity/user-record';
import { userIdOf } from '@gatehouse/shared/identity/users';
import { addOperations } from '@gatehouse/shared/operation/add-operations';
import type { Membership } from '../../../services/user/access/records.ts';
import { chatbots } from '../../../services/user/chatbots/chatbots.ts';
import type { Chatbot } from '../../../services/user/chatbots/records.ts';
import { COLLECTIONS } from '../../../services/user/database.ts';
import { type Clock, testClock } from '../../fixtures/clock.ts';
import { watchedDatabase } from '../../fixtures/database.ts';
import { send, sendJson } from '../../fixtures/http.ts';
import { bearerOf, newMember } from '../../fixtures/members.ts';
import { listen, testConfig } from '../../fixtures/services.ts';
import { storeOrganization } from '../access/store-organization.ts';

/** Starts the chatbot routes over HTTP on a fresh database, with helpers to create callers. */
export async function startChatbotService({ clock = testClock() }: { clock?: Clock } = {}) {
  const { db, commands, drop } = await watchedDatabase(COLLECTIONS);
  const config = testConfig('user');
  const tokens = createTokens(config);
  const app = await createServer({
    name: 'user',
    description: 'Chatbots.',
    config,
    checks: {},
    hooks: (server) => server.register(requirePrincipal, { db, tokens, now: clock.now }),
    now: clock.now,
  });
  await addOperations(app, chatbots, { config, db, now: clock.now, accept: async () => 'accepted' });
  const url = await listen(app);

  /** An active user with a session; `user_id: null` stores none, as in old records. */
  async function newPerson({
    user_id: id,
    ...fields
  }: Partial<Omit<User, 'user_id'>> & { user_id?: null } = {}) {
    const user = await newMember(db, id === null ? { user_id: undefined } : fields);
    const user_id = userIdOf(user);
    const authorization = bearerOf(user, clock.now());
    const call = (method: string, path: string, body?: unknown) =>
      body === undefined
        ? send(`${url}/api/v1/chatbots${path}`, { method, headers: { authorization } })
        : sendJson(method, `${url}/api/v1/chatbots${path}`, body, { authorization });
    return {
      user_id,
      authorization,
      call,
      list: (query = '') => call('GET', query && `?${query}`),
      async create(fields: Partial<Chatbot> = {}): Promise<Chatbot> {
        const { status, body } = await call('POST', '/create', { ...RECEPTIONIST, ...fields });
        if (status !== 201) throw new Error(JSON.stringify(body));
        return body;
      },
      async grant({ chatbot_id }: { chatbot_id: string }, to: { user_id: string | null }, role: Role) {
        const { status, body } = await call('PUT', `/${chatbot_id}/access/${to.user_id}`, { role });
        if (status !== 200) throw new Error(JSON.stringify(body));
      },
    };
  }

  /** Stores an organization with `count` departments. @returns the places of the departments. */
  async function newOrganization(owners: { user_id: string | null }[], count = 1) {
    const { departments } = await storeOrganization(db, {
      owners: owners.map(({ user_id }) => String(user_id)),
      departments: Array.from({ length: count }, (_, number) => `Department ${number}`),
      now: clock.now(),
    });
    const places = departments.map(({ organization_id, department_id }) => ({
      organization_id,
      department_id,
    }));
    return places as [Place, ...Place[]];
  }

  /** Stores the membership of a user in a department. */
  const storeMember = (
    { user_id }: { user_id: string | null },
    membership: Place & Pick<Membership, 'role'>,
  ) =>
    db.memberships.insertOne({
      membership_id: randomUUIDv7(),
      user_id: String(user_id),
      granted_by: 'User-100000',
      granted_at: new Date(clock.now()).toISOString(),
      ...membership,
    });

  return {
    url,
    app,
    db,
    /** The database commands that the service has sent. */
    commands,
    newOrganization,
    storeMember,
    clock,
    newPerson,
    /** A stored chatbot without its internal fields. */
    storedChatbot: (chatbot_id: string) =>
      db.chatbots.findOne({ chatbot_id }, { projection: { _id: 0, name_suffixes: 0 } }),
    async stop() {
      await app.close();
      await drop();
    },
  };
}

export type Place = Pick<Membership, 'organization_id' | 'department_id'>;
export type ChatbotService = Awaited<ReturnType<typeof startChatbotService>>;
export type Person = Awaited<ReturnType<ChatbotService['newPerson']>>;

export const RECEPTIONIST = {
  name: 'Receptionist',
  type: '3d',
  avatar_id: 'avatar-7',
  language: 'en-GB',
} as const;
