import type { Role } from '@gatehouse/shared/access/rbac';
import type { AuditEvent } from '@gatehouse/shared/identity/audit';
import type { RelayedAction } from '@gatehouse/shared/identity/audit-actions';
import type { EventData, OwnEventName } from '../events.ts';

/** The account that an event is about, as far as it is known. */
export interface Person {
  user_id: string;
  name: string;
  email: string;
}

/** An event that lacks the name of its person and the organizations of its account. */
export interface Draft<Name extends OwnEventName = OwnEventName> {
  event: Name;
  /** Replaces the id of the audit event. */
  id?: string;
  /** The account that it is about. */
  user_id: string | null;
  /**
   * Who hears it beside the account: `place`, the organization and department of the audit event; `account`, every
   * organization to which the account belonged then as well; `acquainted`, those of them that know its e-mail address.
   */
  audience: 'place' | 'account' | 'acquainted';
  data: (person: Person) => EventData<Name>;
  /** What the other organizations of the account hear in its place, if `data` names the organization of the event. */
  elsewhere?: (person: Person) => EventData<Name>;
}

/** Keeps the type of the data together with the name of the event. */
const draft = <Name extends OwnEventName>(fields: Draft<Name>): Draft => fields;

const textOf = (fields: AuditEvent['after'], name: string): string | null => {
  const value = fields?.[name];
  return typeof value === 'string' ? value : null;
};

/** The schema of the event refuses an unknown role. */
const roleOf = (fields: AuditEvent['after']) => textOf(fields, 'role') as Role;

const subjectOf = ({ target, user_id }: AuditEvent): string | null => target.user_id ?? user_id;

const tenantOf = ({ organization_id, department_id }: AuditEvent) => ({
  organization_id: organization_id ?? '',
  department_id,
});

const created = (event: AuditEvent, source: EventData<'user.created'>['source']): Draft =>
  draft({
    event: 'user.created',
    // Two calls that verify an account at the same moment both report it.
    id: `user-created_${subjectOf(event)}`,
    user_id: subjectOf(event),
    audience: 'acquainted',
    data: (person) => ({ ...person, source }),
  });

const updated = (event: AuditEvent, changed: string[]): Draft =>
  draft({
    event: 'user.updated',
    user_id: subjectOf(event),
    audience: 'account',
    data: ({ user_id, name }) => ({ user_id, name, changed }),
  });

function sessionCreated(event: AuditEvent, method: EventData<'session.created'>['method']): Draft {
  const data = ({ user_id }: Person, connection_id: string | null) => ({
    session_id: event.session?.id ?? '',
    user_id,
    method,
    connection_id,
  });
  const { connection_id = null } = event.target;
  return draft({
    event: 'session.created',
    user_id: event.user_id,
    audience: 'account',
    data: (person) => data(person, connection_id),
    ...(connection_id !== null && { elsewhere: (person) => data(person, null) }),
  });
}

const memberAdded = (event: AuditEvent): Draft =>
  draft({
    event: 'organization.member.added',
    user_id: subjectOf(event),
    audience: 'place',
    data: ({ user_id, name }) => ({ ...tenantOf(event), user_id, name, role: roleOf(event.after) }),
  });

const memberRemoved = (event: AuditEvent): Draft =>
  draft({
    event: 'organization.member.removed',
    user_id: subjectOf(event),
    audience: 'place',
    data: ({ user_id, name }) => ({ ...tenantOf(event), user_id, name, role: roleOf(event.before) }),
  });

const roleChanged = (event: AuditEvent): Draft =>
  draft({
    event: 'organization.member.role_changed',
    user_id: subjectOf(event),
    audience: 'place',
    data: ({ user_id, name }) => ({
      ...tenantOf(event),
      user_id,
      name,
      role: roleOf(event.after),
      previous_role: roleOf(event.before),
    }),
  });

function invitationData(event: AuditEvent): EventData<'invitation.accepted'> {
  const { invitation_id = '', email = null, user_id = null } = event.target;
  return { invitation_id, ...tenantOf(event), email, user_id, role: roleOf(event.after ?? event.before) };
}

const invitation = (
  name: 'invitation.accepted' | 'invitation.declined' | 'invitation.withdrawn',
  event: AuditEvent,
): Draft =>
  draft({
    event: name,
    // The invitee declines; others withdraw.
    user_id: name === 'invitation.declined' ? event.user_id : (event.target.user_id ?? null),
    audience: 'place',
    data: () => invitationData(event),
  });

const DRAFTS: Record<RelayedAction, (event: AuditEvent) => Draft[]> = {
  verify: (event) => (textOf(event.after, 'account_status') === 'active' ? [created(event, 'signup')] : []),
  reset: (event) => [
    draft({
      event: 'password.reset',
      user_id: event.user_id,
      audience: 'account',
      data: ({ user_id }) => ({ user_id }),
    }),
  ],
  login: (event) => [sessionCreated(event, 'password')],
  'sso.login': (event) => [sessionCreated(event, 'sso')],
  'profile.update': (event) => {
    const { before, after } = event;
    const changed = Object.keys(after ?? {}).filter((field) => before?.[field] !== after?.[field]);
    return changed.length > 0 ? [updated(event, changed)] : [];
  },
  'sso.link': (event) => (isNewAccount(event) ? [created(event, 'sso')] : []),
  'scim.user': (event) => {
    const status = textOf(event.after, 'account_status');
    const { organization_id } = tenantOf(event);
    const disabled = draft({
      event: 'user.disabled',
      user_id: subjectOf(event),
      audience: 'account',
      data: ({ user_id, name }) => ({ user_id, name, organization_id }),
      elsewhere: ({ user_id, name }) => ({ user_id, name, organization_id: null }),
    });
    return [
      ...(isNewAccount(event) ? [created(event, 'scim')] : []),
      ...(status !== null && status !== 'disabled' ? [updated(event, ['account_status'])] : []),
      ...(status === 'disabled' ? [disabled] : []),
    ];
  },
  'owner.add': (event) => [memberAdded(event)],
  'owner.remove': (event) => [memberRemoved(event)],
  'member.grant': (event) => {
    if (!event.before) return [memberAdded(event)];
    return roleOf(event.before) === roleOf(event.after) ? [] : [roleChanged(event)];
  },
  'member.remove': (event) => [memberRemoved(event)],
  'invitation.create': (event) => [
    draft({
      event: 'invitation.created',
      user_id: event.target.user_id ?? null,
      audience: 'place',
      data: () => ({ ...invitationData(event), invited_by: event.user_id }),
    }),
  ],
  'invitation.accept': (event) => [
    invitation('invitation.accepted', event),
    // An accepted offer to become an Owner has an `owner.add` of its own.
    ...(event.department_id === null ? [] : [memberAdded(event)]),
  ],
  'invitation.decline': (event) => [invitation('invitation.declined', event)],
  'invitation.withdraw': (event) => [invitation('invitation.withdrawn', event)],
};

const isNewAccount = ({ after }: AuditEvent): boolean =>
  ['created', 'taken over'].includes(textOf(after, 'account') ?? '');

/** What an audit event means to webhooks: no event, one or several, always in the same order. */
export const draftsOf = (event: AuditEvent): Draft[] => DRAFTS[event.action as RelayedAction]?.(event) ?? [];
