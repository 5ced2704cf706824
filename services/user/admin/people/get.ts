import { isEnrolled } from '@gatehouse/shared/identity/enrolled';
import { OPERATOR_LEVELS } from '@gatehouse/shared/identity/operators';
import { foreignHashOf } from '@gatehouse/shared/identity/passwords';
import type { User } from '@gatehouse/shared/identity/user-record';
import { userIdOf } from '@gatehouse/shared/identity/users';
import { hasPassword } from '@gatehouse/shared/identity/ways-in';
import type { WithId } from 'mongodb';
import { z } from 'zod';
import { rolesOf } from '../../access/roles.ts';
import { presentSession, sessionRecord } from '../../account/list-sessions.ts';
import { organizationsOf, ownRoles } from '../../account/roles.ts';
import { usableSessions } from '../../account/sessions-live.ts';
import { linkRecord, ownLinks, presentLink } from '../../links/list-links.ts';
import { type AdminDependencies, operation } from '../operation.ts';
import { EXAMPLE, personSummary, presentSummary, textOf } from './contract.ts';
import { findPerson } from './find-person.ts';

const dateTime = z.string().meta({ format: 'date-time' });

const personRecord = personSummary
  .extend({
    account_status: z.string(),
    verified: z.boolean(),
    payment_status: z.string(),
    plan_expires: z.string().nullable(),
    language: z.string().nullable(),
    last_login_at: dateTime.nullable(),
    operator: z.enum(OPERATOR_LEVELS).nullable(),
    password: z.enum(['set', 'imported', 'none']).meta({
      description: '`imported`: the hash of another system, which the next login replaces',
    }),
    factor: z
      .object({ enrolled_at: dateTime, recovery_codes: z.int(), reset_at: dateTime.nullable() })
      .nullable()
      .meta({ description: 'The second factor, with the number of unused recovery codes' }),
    passkey_count: z.int(),
    links: z.array(linkRecord),
    identities: z.array(
      z.object({
        connection_id: z.string(),
        email: z.string(),
        last_login_at: dateTime.nullable(),
        gone_at: dateTime.nullable(),
      }),
    ),
    organizations: ownRoles.shape.organizations,
    sessions: z.array(sessionRecord.omit({ current: true })),
    email_change: z.object({ email: z.string() }).nullable(),
    deletion: z.object({ requested_at: dateTime, due_at: dateTime, begun: z.boolean() }).nullable(),
    imported: z.object({ from: z.string(), at: dateTime, id: z.string().nullable() }).nullable(),
    disabled_by_directory: z.boolean().meta({ description: 'Whether SCIM has disabled the account' }),
  })
  .meta({
    description: 'The person',
    examples: [
      {
        ...EXAMPLE,
        account_status: 'active',
        verified: true,
        payment_status: 'pending',
        plan_expires: null,
        language: 'en',
        last_login_at: EXAMPLE.created_at,
        operator: null,
        password: 'set',
        factor: { enrolled_at: EXAMPLE.created_at, recovery_codes: 9, reset_at: null },
        passkey_count: 0,
        links: [],
        identities: [],
        organizations: [],
        sessions: [],
        email_change: null,
        deletion: null,
        imported: null,
        disabled_by_directory: false,
      },
    ],
  });

export const getPerson = operation('GET /api/v1/admin/people/{person_id}', {
  needs: 'support operator',
  byKey: true,
  summary: 'Get a person',
  description:
    'Returns what an operator needs to help: state, plan, ways to log in, roles, sessions and what is pending. Never a secret.',
  returns: personRecord,
  async handle(call) {
    return presentPerson(call, await findPerson(call.db, call.params.person_id));
  },
});

/** Reads everything about a person at the same time. */
async function presentPerson(
  { db, now, locate }: Pick<AdminDependencies, 'db' | 'now' | 'locate'>,
  user: WithId<User>,
): Promise<z.infer<typeof personRecord>> {
  const user_id = userIdOf(user);
  const ofAccount = async <T>(read: (id: string) => Promise<T[]>): Promise<T[]> =>
    user_id === null ? [] : read(user_id);
  const [operators, links, identities, organizations, sessions, [login]] = await Promise.all([
    ofAccount((_id) => db.operators.find({ _id }).toArray()),
    ofAccount((id) => ownLinks(db, user.links, id)),
    ofAccount((id) => db.ssoIdentities.find({ user_id: id }, { limit: 100 }).toArray()),
    ofAccount(async (id) => organizationsOf(db, await rolesOf(db, id))),
    ofAccount((id) => usableSessions(db, user, id, now())),
    ofAccount((id) =>
      db.auditEvents
        .find(
          { user_id: id, action: { $in: ['login', 'sso.login'] }, outcome: 'success' },
          { sort: { at: -1 }, limit: 1 },
        )
        .toArray(),
    ),
  ]);
  const { second_factor: factor, factor_reset, deletion, imported, email_change } = user;
  return {
    ...presentSummary(user, now()),
    account_status: textOf(user.account_status) ?? '',
    verified: Boolean(user.verified),
    payment_status: textOf(user.payment_status) ?? '',
    plan_expires: textOf(user.subscription_expiry),
    language: textOf(user.language),
    last_login_at: login?.at.toISOString() ?? null,
    operator: operators[0]?.level ?? null,
    password: foreignHashOf(user) !== undefined ? 'imported' : hasPassword(user) ? 'set' : 'none',
    factor:
      factor && isEnrolled(user, now())
        ? {
            enrolled_at: factor.enrolled_at.toISOString(),
            recovery_codes: factor.recovery_codes.length,
            reset_at: factor_reset?.due_at.toISOString() ?? null,
          }
        : null,
    passkey_count: user.passkeys?.length ?? 0,
    links: links.map(presentLink),
    identities: identities.map(({ connection_id, email, last_login_at, gone_at }) => ({
      connection_id,
      email,
      last_login_at: last_login_at?.toISOString() ?? null,
      gone_at: gone_at?.toISOString() ?? null,
    })),
    organizations,
    sessions: sessions.map((session) => presentSession(session, locate)),
    email_change: email_change ? { email: email_change.email } : null,
    deletion: deletion
      ? {
          requested_at: deletion.requested_at.toISOString(),
          due_at: deletion.due_at.toISOString(),
          begun: deletion.begun_at !== undefined,
        }
      : null,
    imported: imported
      ? { from: imported.from, at: imported.at.toISOString(), id: imported.id ?? null }
      : null,
    disabled_by_directory: user.deprovisioned !== undefined,
  };
}
