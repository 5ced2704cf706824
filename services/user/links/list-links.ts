import { principalOf } from '@gatehouse/shared/identity/principal';
import type { LoginName } from '@gatehouse/shared/identity/ways-in';
import { z } from 'zod';
import type { Database } from '../database.ts';
import { linkIdOf, providerOf } from './names.ts';
import { operation } from './operation.ts';

const dateTime = z.string().meta({ format: 'date-time' });

const EXAMPLE = {
  link_id: 'nVt3rWqQ0m5sJ1uXyK2b7A',
  provider: 'google',
  email: 'ada@gmail.com',
  created_at: '2026-01-15T09:30:00.000Z',
  last_login_at: '2026-01-15T09:00:00.000Z',
};

export const linkRecord = z
  .object({
    link_id: z.string(),
    provider: z.string(),
    email: z.string().nullable().meta({ description: 'The address that the provider sent' }),
    created_at: dateTime,
    last_login_at: dateTime.nullable().meta({ description: 'To the hour' }),
  })
  .meta({
    description: 'A link to an account at a provider',
    examples: [EXAMPLE],
  });

/** CONTRACT.md §Linking. */
export const listLinks = operation('GET /api/v1/users/me/links', {
  needs: 'own',
  summary: 'List your links to providers',
  description: 'Returns the accounts at providers that open the account of the caller, oldest first.',
  returns: z.object({ links: z.array(linkRecord) }).meta({
    description: 'The links',
    examples: [{ links: [EXAMPLE] }],
  }),
  handle: async ({ db, request, caller }) => ({
    links: (await ownLinks(db, principalOf(request).user.links, caller)).map(presentLink),
  }),
});

/** Returns the login names of an account, oldest first. */
export const ownLinks = (
  db: Pick<Database, 'loginNames'>,
  links: readonly string[] = [],
  user_id: string,
): Promise<LoginName[]> =>
  links.length === 0
    ? Promise.resolve([])
    : db.loginNames.find({ _id: { $in: [...links] }, user_id }, { sort: { created_at: 1 } }).toArray();

export const presentLink = ({
  _id,
  email,
  created_at,
  last_login_at,
}: LoginName): z.infer<typeof linkRecord> => ({
  link_id: linkIdOf(_id),
  provider: providerOf(_id),
  email,
  created_at: created_at.toISOString(),
  last_login_at: last_login_at?.toISOString() ?? null,
});
