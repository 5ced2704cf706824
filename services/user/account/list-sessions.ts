import { deviceNames } from '@gatehouse/shared/identity/device';
import { listQuery, pageResponse, paginationOf } from '@gatehouse/shared/operation/lists';
import { z } from 'zod';
import type { Locate } from './geolocation.ts';
import { operation } from './operation.ts';
import { type LiveSession, liveSessions } from './sessions-live.ts';

const dateTime = z.string().meta({ format: 'date-time' });

export const sessionRecord = z
  .object({
    session_id: z.string().meta({ description: 'Names the session; it is not a credential' }),
    name: z.string().nullable().meta({ description: 'What the person calls the device' }),
    device: z
      .object({ browser: z.string().nullable(), os: z.string().nullable(), user_agent: z.string() })
      .meta({
        description:
          'The browser or program and the operating system by name, null if unknown, and the first 300 characters of the `User-Agent` header',
      }),
    address: z.string().meta({ description: 'The address of the client at the last use' }),
    place: z.object({ country: z.string(), city: z.string().nullable() }).nullable().meta({
      description:
        'The approximate place of the address, null if it is unknown: the country by ISO 3166-1 and the city in English',
    }),
    began_at: dateTime,
    last_used_at: dateTime.meta({
      description: 'When the session began or was last extended; of the current session, now',
    }),
    current: z.boolean().meta({ description: 'Whether this call belongs to the session' }),
    support: z
      .object({ mode: z.enum(['read', 'full']), operator: z.string() })
      .exactOptional()
      .meta({ description: 'The operator whose session it is, by their user_id' }),
  })
  .meta({
    description: 'The session',
    examples: [
      {
        session_id: '01936f31-2c4b-7b1d-8e52-6a0d4f9c7e13',
        name: 'Work laptop',
        device: {
          browser: 'Firefox',
          os: 'Linux',
          user_agent: 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
        },
        address: '198.51.100.7',
        place: { country: 'DE', city: 'Berlin' },
        began_at: '2026-01-15T09:30:00.000Z',
        last_used_at: '2026-01-15T10:20:00.000Z',
        current: true,
      },
    ],
  });

type SessionRecord = z.infer<typeof sessionRecord>;

const table = { sortable: ['last_used_at', 'began_at'], filters: {} } as const;

export const listSessions = operation('GET /api/v1/users/me/sessions', {
  needs: 'own',
  summary: 'List your own sessions',
  description:
    'Lists the sessions with a token that is still valid, the one used last first. `search` matches the name, the device, the address and the place.',
  query: listQuery(table),
  returns: pageResponse(sessionRecord),
  async handle({ db, locate, now, request, caller, query: { page, limit, sort_by, order, search = '' } }) {
    const live = await liveSessions(db, request, caller, now());
    const field = sort_by as (typeof table.sortable)[number];
    const sorted = live
      .map((session) => presentSession(session, locate))
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
  },
});

export const presentSession = (
  { session, name, device, address, lastUsedAt, isCurrent }: LiveSession,
  locate: Locate,
): SessionRecord => ({
  session_id: session.id,
  name,
  device: { ...deviceNames(device), user_agent: device },
  address,
  place: locate(address),
  began_at: new Date(session.beganAt).toISOString(),
  last_used_at: lastUsedAt.toISOString(),
  current: isCurrent,
  ...(session.support && { support: session.support }),
});

const searchable = ({ name, device: { browser, os, user_agent }, address, place }: SessionRecord): string =>
  [name, browser, os, user_agent, address, place?.city, place?.country].join('\n').toLowerCase();
