import { ANY_STRING } from '@gatehouse/shared/data/connect';
import { containsText, listQuery, pageResponse, readPage } from '@gatehouse/shared/operation/lists';
import { z } from 'zod';
import { operation } from '../dependencies.ts';
import type { Identity } from '../records.ts';

import { ownedConnection } from './owned.ts';

const table = {
  sortable: ['created_at', 'email', 'user_id'],
  filters: { user_id: null },
  search: containsText('email'),
  unique: 'user_id',
} as const satisfies { sortable: readonly (keyof Identity)[]; [part: string]: unknown };

const dateTime = z.string().meta({ format: 'date-time' });

const identityRecord = z
  .object({
    user_id: z.string().meta({ description: 'The linked account' }),
    subject: z.string().meta({
      description: 'The identifier of the person at the provider: NameID, sub, or the id of the directory',
    }),
    email: z.string().meta({
      description: 'The address that the provider sent when the account was linked or last followed it',
    }),
    managed_by_scim: z.boolean(),
    created_at: dateTime,
    last_login_at: dateTime.nullable().meta({ description: 'To the hour' }),
  })
  .meta({
    description: 'The identity',
    examples: [
      {
        user_id: 'User-902513',
        subject: '8c9b12e8-b8a6-4874-8801-edee9818ec39',
        email: 'ada@example.com',
        managed_by_scim: false,
        created_at: '2026-01-15T09:30:00.000Z',
        last_login_at: '2026-01-15T09:30:00.000Z',
      },
    ],
  });

export const listIdentities = operation('GET /api/v1/sso/connections/{connection_id}/identities', {
  needs: 'ownership',
  summary: 'List the identities of a connection',
  description:
    'Lists the accounts that are linked to people at the connection. `search` matches the addresses. Also possible without the plan.',
  query: listQuery(table),
  returns: pageResponse(identityRecord),
  async handle({ db, host, params, query, request }) {
    const { connection_id } = await ownedConnection({ db, host }, request, params.connection_id);
    const linked = { connection_id, subject: ANY_STRING };
    const page = await readPage(db.ssoIdentities, table, [{ within: linked }], query);
    return { ...page, data: page.data.map(presentIdentity) };
  },
});

const presentIdentity = (identity: Identity): z.infer<typeof identityRecord> => ({
  user_id: identity.user_id,
  subject: identity.subject ?? '',
  email: identity.email,
  managed_by_scim: identity.scim?.user_name_key !== undefined,
  created_at: identity.created_at.toISOString(),
  last_login_at: identity.last_login_at?.toISOString() ?? null,
});
