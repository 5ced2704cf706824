import { AppError, BEARER_FAILURES, failures } from '@gatehouse/shared/http/errors';
import { line, messageResponse } from '@gatehouse/shared/http/fields';
import { audit } from '@gatehouse/shared/identity/audit';
import { callerId, principalOf } from '@gatehouse/shared/identity/principal';
import { endOtherSessions, endSession, lastExpiry } from '@gatehouse/shared/identity/sessions';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { Database } from '../database.ts';
import { listQuery, pageResponse, paginationOf } from '../lists.ts';
import { deviceNames } from './sessions-device.ts';
import { type LiveSession, liveSessions } from './sessions-live.ts';

interface Options {
  config: { SESSION_MAX_HOURS: number };
  db: Database;
  now: () => number;
}

const dateTime = z.string().meta({ format: 'date-time' });

const sessionRecord = z
  .object({
    session_id: z.string().meta({ description: 'Names the session; it is not a credential' }),
    device: z
      .object({ browser: z.string().nullable(), os: z.string().nullable(), user_agent: z.string() })
      .meta({
        description:
          'The browser or program and the operating system by name, null if unknown, and the first 300 characters of the `User-Agent` header',
      }),
    address: z.string().meta({ description: 'The address of the client at the last use' }),
    began_at: dateTime,
    last_used_at: dateTime.meta({
      description: 'When the session began or was last extended; of the current session, now',
    }),
    current: z.boolean().meta({ description: 'Whether this call belongs to the session' }),
  })
  .meta({
    description: 'The session',
    examples: [
      {
        session_id: '01936f31-2c4b-7b1d-8e52-6a0d4f9c7e13',
        device: {
          browser: 'Firefox',
          os: 'Linux',
          user_agent: 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
        },
        address: '198.51.100.7',
        began_at: '2026-01-15T09:30:00.000Z',
        last_used_at: '2026-01-15T10:20:00.000Z',
        current: true,
      },
    ],
  });

type SessionRecord = z.infer<typeof sessionRecord>;

const table = { sortable: ['last_used_at', 'began_at'], filters: {} } as const;

const config = { permission: 'own' } as const;
const common = { tags: ['session'], security: [{ bearer: [] }] };
const refused = failures('catalogue', 'invalidFormat', ...BEARER_FAILURES);

const listSchema = {
  ...common,
  summary: 'List your own sessions',
  description:
    'Lists the sessions with a token that is still valid, the one used last first. `search` matches the device and the address.',
  querystring: listQuery(table),
  response: { 200: pageResponse(sessionRecord), ...refused },
};

const endSchema = {
  ...common,
  summary: 'End one of your own sessions',
  description: 'Refuses every token of the session from now on. Ending the current session logs out.',
  params: z.object({ session_id: line(200) }),
  response: {
    200: messageResponse('Session ended', 'The session has ended.'),
    ...refused,
    ...failures('catalogue', 'notFound'),
  },
};

const endOthersSchema = {
  ...common,
  summary: 'End all your other sessions',
  description: 'Refuses every token of the caller’s other sessions from now on, listed or not.',
  response: {
    200: messageResponse('Other sessions ended', 'Only the current session goes on.'),
    ...refused,
  },
};

/** GET and DELETE /api/v1/users/me/sessions, DELETE …/sessions/{session_id} (CONTRACT.md §Sessions). */
export const sessions: FastifyPluginAsyncZod<Options> = async (app, { config: settings, db, now }) => {
  const maxAge = settings.SESSION_MAX_HOURS * 3_600_000;

  app.get('/api/v1/users/me/sessions', { schema: listSchema, config }, async (request) => {
    const { page, limit, sort_by, order, search = '' } = request.query;
    const live = await liveSessions(db, request, callerId(request), now());
    const field = sort_by as (typeof table.sortable)[number];
    const sorted = live
      .map(presentSession)
      .filter((session) => searchable(session).includes(search.toLowerCase()))
      .sort(
        (one, other) =>
          one[field].localeCompare(other[field]) || one.session_id.localeCompare(other.session_id),
      );
    if (order === 'desc') sorted.reverse();
    return {
      data: sorted.slice((page - 1) * limit, page * limit),
      pagination: paginationOf(sorted.length, { page, limit }),
    };
  });

  app.delete('/api/v1/users/me/sessions/:session_id', { schema: endSchema, config }, async (request) => {
    const { session_id } = request.params;
    const [found] = await liveSessions(db, request, callerId(request), now(), session_id);
    if (!found) throw new AppError('notFound');
    const { user, expiresAt } = principalOf(request);
    const until = lastExpiry(found.session, { expiresAt, maxAge, now: now() });
    await endSession(db.users, user._id, found.session, until, now());
    await audit(
      db,
      request,
      now(),
      found.isCurrent ? { action: 'logout' } : { action: 'session.end', target: { session_id } },
    );
    return { message: 'Session ended' as const };
  });

  app.delete('/api/v1/users/me/sessions', { schema: endOthersSchema, config }, async (request) => {
    callerId(request); // an account without a user_id may only read and log out
    const { user, session } = principalOf(request);
    if (!(await endOtherSessions(db.users, user._id, session, now()))) throw new AppError('invalidToken');
    await audit(db, request, now(), { action: 'session.end_others' });
    return { message: 'Other sessions ended' as const };
  });
};

const presentSession = ({ session, device, address, lastUsedAt, isCurrent }: LiveSession): SessionRecord => ({
  session_id: session.id,
  device: { ...deviceNames(device), user_agent: device },
  address,
  began_at: new Date(session.beganAt).toISOString(),
  last_used_at: lastUsedAt.toISOString(),
  current: isCurrent,
});

const searchable = ({ device: { browser, os, user_agent }, address }: SessionRecord): string =>
  [browser, os, user_agent, address].join('\n').toLowerCase();
