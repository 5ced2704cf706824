import type { User } from '@gatehouse/shared/identity/user-record';
import type { UpdateFilter, WithId } from 'mongodb';
import { TOTP } from 'otpauth';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { enrolled } from '../../fixtures/enrolled.ts';
import { type Answered, decodeToken, postJson, send, sendJson } from '../../fixtures/http.ts';
import { bearerOf, newMember } from '../../fixtures/members.ts';
import { type Services, startServices } from '../../fixtures/services.ts';

let services: Services;
beforeAll(async () => {
  services = await startServices();
});
afterAll(() => services.stop());
afterEach(() => vi.restoreAllMocks());

type Headers = { authorization: string };
const me = (path = '') => `${services.user}/api/v1/users/me${path}`;

/** A session of an account that began a second ago. */
function sessionOf(user: WithId<User>): Headers {
  const authorization = bearerOf(user, services.clock.now());
  services.clock.advance(1);
  return { authorization };
}

/** Prepares a call of a session: all that is missing is the write. */
type Prepare = () => Promise<{ user: WithId<User>; headers: Headers; call: () => Promise<Answered> }>;

const ofMember =
  (act: (headers: Headers, user: WithId<User>) => Promise<() => Promise<Answered>>): Prepare =>
  async () => {
    const user = await newMember(services.db);
    const headers = sessionOf(user);
    return { user, headers, call: await act(headers, user) };
  };
const ofEnrolled =
  (act: (headers: Headers) => Promise<Answered>): Prepare =>
  async () => {
    const user = await enrolled(services.db, services.clock);
    const headers = sessionOf(user);
    return { user, headers, call: () => act(headers) };
  };

const CALLS: [what: string, prepare: Prepare][] = [
  [
    'the removal of a second factor',
    ofEnrolled((headers) => send(me('/factors/totp'), { method: 'DELETE', headers })),
  ],
  [
    'the replacement of recovery codes',
    ofEnrolled((headers) => send(me('/factors/recovery-codes'), { method: 'POST', headers })),
  ],
  [
    'the begin of an enrollment',
    ofMember(async (headers) => () => send(me('/factors/totp'), { method: 'POST', headers })),
  ],
  [
    'the first code of an enrollment',
    ofMember(async (headers) => {
      const { body } = await send(me('/factors/totp'), { method: 'POST', headers });
      const { enrollment_id, secret } = body;
      const code = codeOf(secret);
      return () => postJson(me('/factors/totp/confirm'), { enrollment_id, code }, headers);
    }),
  ],
  ['the request of a deletion', ofMember(async (headers) => () => send(me(), { method: 'DELETE', headers }))],
  [
    'a change of the password',
    ofMember(async (headers) => () => postJson(me('/password'), { new_password: 'new' }, headers)),
  ],
  [
    'the request of another address',
    ofMember(
      async (headers, { email }) =>
        () =>
          postJson(me('/email'), { email: `new-${email}` }, headers),
    ),
  ],
  [
    'a change of the profile',
    ofMember(async (headers) => () => sendJson('PATCH', me(), { name: 'Thief' }, headers)),
  ],
];
const codeOf = (secret: string) => new TOTP({ secret }).generate({ timestamp: services.clock.now() });

const ENDINGS: [how: string, end: (sid: string, at: Date) => UpdateFilter<User>][] = [
  ['logs out', (id, until) => ({ $push: { ended_sessions: { id, until } } })],
  ['is ended by another one', (_sid, at) => ({ $set: { others_ended: { at, kept: 'another' } } })],
  ['is ended by a new password', (_sid, at) => ({ $max: { sessions_valid_from: at } })],
];

describe.each(ENDINGS)('a session that %s between the check of its bearer and the write', (_how, end) => {
  test.each(CALLS)('is refused %s, which changes nothing', async (_what, prepare) => {
    const { users } = services.db;
    const { user, headers, call } = await prepare();
    const updateOne = users.updateOne.bind(users) as (...given: unknown[]) => Promise<unknown>;
    let ended: WithId<User> | null = null;
    const endOnce = async () => {
      if (ended) return;
      const { sid } = decodeToken(headers.authorization.slice(7)).header;
      await updateOne({ _id: user._id }, end(String(sid), new Date(services.clock.now())));
      ended = await users.findOne({ _id: user._id });
    };
    for (const method of ['updateOne', 'findOneAndUpdate'] as const) {
      const write = users[method].bind(users) as (...given: unknown[]) => Promise<unknown>;
      vi.spyOn(users, method).mockImplementation((async (...given: unknown[]) => {
        await endOnce();
        return write(...given);
      }) as never);
    }
    const { status, body } = await call();
    expect({ status, code: body.error.code }).toEqual({ status: 401, code: 'INVALID_TOKEN' });
    expect(ended).not.toBeNull();
    expect(await users.findOne({ _id: user._id })).toEqual(ended);
  });
});
