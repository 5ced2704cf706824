import { ROLES } from '@gatehouse/shared/access/rbac';
import { LOGIN_WAYS } from '@gatehouse/shared/identity/login-ways';
import { z } from 'zod';
import { define, fields } from './definition.ts';

/**
 * The events of accounts, organizations and webhooks, which only this service publishes. Their data hold no secret,
 * code, token or network address. They go to organizations as well, so they name a person by `user_id` and name; an
 * e-mail address appears only where every organization that receives the event knows it.
 */

const id = z.string();
const nullableId = z.string().nullable();
const role = z.enum(ROLES);
const department_id = nullableId.meta({ description: 'Null: the organization itself' });
const person = { user_id: id, name: z.string().meta({ description: 'The name in the profile' }) };
const email = z.string().meta({ format: 'email' });

const member = { organization_id: id, department_id, ...person };
const invitation = {
  invitation_id: id,
  organization_id: id,
  department_id,
  email: email.nullable().meta({ description: 'The invited address; null for an invitation by `user_id`' }),
  user_id: nullableId.meta({
    description: 'The invited `user_id`; null for an invitation by e-mail until it is accepted',
  }),
  role,
};

const PERSON = { user_id: 'User-720415', name: 'Grace Hopper' };
const PLACE = {
  organization_id: '01936f2e-7d3c-7a44-8c1e-5b0f3f6a9d21',
  department_id: '01936f2f-02b1-7c1f-9a77-3f1d3c0e8b52',
};
const MEMBER = { ...PLACE, ...PERSON };
const INVITATION = {
  invitation_id: '01936f30-5e0a-7b3c-b1d4-9c2f6e7a8b90',
  ...PLACE,
  email: 'grace@example.com',
  user_id: null,
  role: 'Editor',
} as const;

export const OWN_EVENTS = {
  'user.created': define({
    version: 1,
    summary:
      'An account became active: its signup was verified, its person logged in at a provider, or an organization provisioned it',
    data: fields({
      ...person,
      email,
      source: z.enum(['signup', 'social', 'sso', 'scim']).meta({ description: 'How the account came about' }),
    }),
    example: { ...PERSON, email: 'grace@example.com', source: 'signup' },
  }),
  'user.updated': define({
    version: 1,
    summary: 'The profile of an account changed, or the account was enabled again',
    data: fields({
      ...person,
      changed: z.array(z.string()).meta({ description: 'The names of the fields that changed' }),
    }),
    example: { ...PERSON, changed: ['name', 'company'] },
  }),
  'user.disabled': define({
    version: 1,
    summary: 'An organization disabled the account of one of its people',
    data: fields({
      ...person,
      organization_id: nullableId.meta({
        description:
          'The organization that disabled the account; null for a receiver in another organization',
      }),
    }),
    example: { ...PERSON, organization_id: PLACE.organization_id },
  }),
  'user.factor_enabled': define({
    version: 1,
    summary: 'A person protected their account with a second factor',
    data: fields(person),
    example: PERSON,
  }),
  'user.factor_disabled': define({
    version: 1,
    summary: 'The second factor of an account ended: its person removed it, or an operator reset it',
    data: fields(person),
    example: PERSON,
  }),
  'user.passkey_added': define({
    version: 1,
    summary: 'A person added a passkey to their account, which is enough to log in',
    data: fields(person),
    example: PERSON,
  }),
  'user.passkey_removed': define({
    version: 1,
    summary: 'A passkey of an account ended',
    data: fields(person),
    example: PERSON,
  }),
  'user.deleted': define({
    version: 1,
    summary: 'An account is being deleted for good, at the wish of its person',
    data: fields({ user_id: id }),
    example: { user_id: 'User-720415' },
  }),
  'session.created': define({
    version: 1,
    summary: 'A person logged in',
    data: fields({
      session_id: id.meta({ description: 'Names the session; it is not a credential' }),
      user_id: id,
      method: z.enum([...LOGIN_WAYS, 'sso']),
      connection_id: nullableId.meta({
        description:
          'The connection of a login by single sign-on; null for a receiver in another organization than that of the connection',
      }),
    }),
    example: {
      session_id: '01936f31-2c4b-7b1d-8e52-6a0d4f9c7e13',
      user_id: 'User-720415',
      method: 'password',
      connection_id: null,
    },
  }),
  'password.reset': define({
    version: 1,
    summary: 'A person replaced a forgotten password',
    data: fields({ user_id: id }),
    example: { user_id: 'User-720415' },
  }),
  'password.changed': define({
    version: 1,
    summary:
      'A person changed their password, or set the first one of an account that logged in at a provider',
    data: fields({
      user_id: id,
      first: z.boolean().meta({ description: 'Whether the account had no password' }),
    }),
    example: { user_id: 'User-720415', first: false },
  }),
  'organization.member.added': define({
    version: 1,
    summary: 'A person became a member of a department or an Owner of an organization',
    data: fields({ ...member, role }),
    example: { ...MEMBER, role: 'Editor' },
  }),
  'organization.member.removed': define({
    version: 1,
    summary: 'A person is no longer a member of a department or an Owner of an organization',
    data: fields({ ...member, role: role.meta({ description: 'The role that ended' }) }),
    example: { ...MEMBER, role: 'Editor' },
  }),
  'organization.member.role_changed': define({
    version: 1,
    summary: 'The role of a member of a department changed',
    data: fields({ ...member, role, previous_role: role }),
    example: { ...MEMBER, role: 'Admin', previous_role: 'Editor' },
  }),
  'invitation.created': define({
    version: 1,
    summary: 'A person was invited',
    data: fields({ ...invitation, invited_by: nullableId }),
    example: { ...INVITATION, invited_by: 'User-483920' },
  }),
  'invitation.accepted': define({
    version: 1,
    summary: 'An invitation was accepted',
    data: fields(invitation),
    example: { ...INVITATION, user_id: PERSON.user_id },
  }),
  'invitation.declined': define({
    version: 1,
    summary: 'An invitation was declined',
    data: fields(invitation),
    example: INVITATION,
  }),
  'invitation.withdrawn': define({
    version: 1,
    summary: 'An invitation was withdrawn',
    data: fields(invitation),
    example: INVITATION,
  }),
  'webhook.disabled': define({
    version: 1,
    summary: 'A webhook was disabled, because its receiver answered 410 or failed for three days',
    data: fields({
      webhook_id: id,
      name: z.string().nullable(),
      organization_id: nullableId.meta({ description: 'Null for the webhook of an account' }),
      department_id: nullableId,
      reason: z.enum(['gone', 'failing']).meta({ description: '`gone`: the receiver answered 410' }),
      disabled_at: z.string().meta({ format: 'date-time' }),
    }),
    example: {
      webhook_id: '01936f2e-7d3c-7a44-8c1e-5b0f3f6a9d21',
      name: 'Billing',
      ...PLACE,
      reason: 'failing',
      disabled_at: '2026-01-15T09:30:00.000Z',
    },
  }),
} as const;
