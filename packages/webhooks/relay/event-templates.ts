import type { Role } from '@gatehouse/shared/access/rbac';
import type { AuditEvent } from '@gatehouse/shared/identity/audit';
import type { RelayedAction } from '@gatehouse/shared/identity/audit-actions';
import { LOGIN_WAYS, type LoginWay } from '@gatehouse/shared/identity/login-ways';
import type { EventData, OwnEventName } from '../events.ts';

/** The account that an event is about. */
export interface Subject {
  user_id: string;
  name: string;
  email: string;
}

/** An event to publish, without the name of its account and the organizations of that account. */
export interface EventTemplate<Name extends OwnEventName = OwnEventName> {
  event: Name;
  /** Replaces the id of the audit event. */
  id?: string;
  /** The account that the event is about. */
  user_id: string | null;
  /**
   * The organizations that receive the event, besides the account. `place`: only the organization and department of
   * the audit event. `account`: also every organization of which the account was a member at that time. `acquainted`:
   * also every organization that knows the e-mail address of the account.
   */
  audience: 'place' | 'account' | 'acquainted';
  data: (subject: Subject) => EventData<Name>;
  /** The data for the other organizations of the account, if `data` names the organization of the event. */
  redactedForOthers?: (subject: Subject) => EventData<Name>;
}

/** Checks that the data fit the name of the event. */
const template = <Name extends OwnEventName>(fields: EventTemplate<Name>): EventTemplate => fields;

const textOf = (fields: AuditEvent['after'], name: string): string | null => {
  const value = fields?.[name];
  return typeof value === 'string' ? value : null;
};

const wayOf = ({ after }: AuditEvent): LoginWay =>
  LOGIN_WAYS.find((way) => way === textOf(after, 'way')) ?? 'password';

/** The schema of the event rejects an unknown role. */
const roleOf = (fields: AuditEvent['after']) => textOf(fields, 'role') as Role;

const subjectIdOf = ({ target, user_id }: AuditEvent): string | null => target.user_id ?? user_id;

const tenantOf = ({ organization_id, department_id }: AuditEvent) => ({
  organization_id: organization_id ?? '',
  department_id,
});

const created = (event: AuditEvent, source: EventData<'user.created'>['source']): EventTemplate =>
  template({
    event: 'user.created',
    // Concurrent calls that verify an account each audit it.
    id: `user-created_${subjectIdOf(event)}`,
    user_id: subjectIdOf(event),
    audience: 'acquainted',
    data: (subject) => ({ ...subject, source }),
  });

const updated = (event: AuditEvent, changed: string[]): EventTemplate =>
  template({
    event: 'user.updated',
    user_id: subjectIdOf(event),
    audience: 'account',
    data: ({ user_id, name }) => ({ user_id, name, changed }),
  });

const protectionChanged = (
  name: 'user.factor_enabled' | 'user.factor_disabled' | 'user.passkey_added' | 'user.passkey_removed',
  event: AuditEvent,
): EventTemplate =>
  template({
    event: name,
    user_id: subjectIdOf(event),
    audience: 'account',
    data: ({ user_id, name }) => ({ user_id, name }),
  });

function changedFields(event: AuditEvent): EventTemplate[] {
  const { before, after } = event;
  const changed = Object.keys(after ?? {}).filter((field) => before?.[field] !== after?.[field]);
  return changed.length > 0 ? [updated(event, changed)] : [];
}

function sessionCreated(event: AuditEvent, method: EventData<'session.created'>['method']): EventTemplate {
  const data = ({ user_id }: Subject, connection_id: string | null) => ({
    session_id: event.session?.id ?? '',
    user_id,
    method,
    connection_id,
  });
  const { connection_id = null } = event.target;
  return template({
    event: 'session.created',
    user_id: event.user_id,
    audience: 'account',
    data: (subject) => data(subject, connection_id),
    ...(connection_id !== null && { redactedForOthers: (subject) => data(subject, null) }),
  });
}

const memberAdded = (event: AuditEvent): EventTemplate =>
  template({
    event: 'organization.member.added',
    user_id: subjectIdOf(event),
    audience: 'place',
    data: ({ user_id, name }) => ({ ...tenantOf(event), user_id, name, role: roleOf(event.after) }),
  });

const memberRemoved = (event: AuditEvent): EventTemplate =>
  template({
    event: 'organization.member.removed',
    user_id: subjectIdOf(event),
    audience: 'place',
    data: ({ user_id, name }) => ({ ...tenantOf(event), user_id, name, role: roleOf(event.before) }),
  });

const roleChanged = (event: AuditEvent): EventTemplate =>
  template({
    event: 'organization.member.role_changed',
    user_id: subjectIdOf(event),
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
): EventTemplate =>
  template({
    event: name,
    // The invitee declines; others withdraw.
    user_id: name === 'invitation.declined' ? event.user_id : (event.target.user_id ?? null),
    audience: 'place',
    data: () => invitationData(event),
  });

const TEMPLATES: Record<RelayedAction, (event: AuditEvent) => EventTemplate[]> = {
  verify: (event) => (textOf(event.after, 'account_status') === 'active' ? [created(event, 'signup')] : []),
  reset: (event) => [
    template({
      event: 'password.reset',
      user_id: event.user_id,
      audience: 'account',
      data: ({ user_id }) => ({ user_id }),
    }),
  ],
  'password.change': (event) => [
    template({
      event: 'password.changed',
      user_id: event.user_id,
      audience: 'account',
      data: ({ user_id }) => ({ user_id, first: textOf(event.after, 'first') === 'true' }),
    }),
  ],
  login: (event) => [sessionCreated(event, wayOf(event))],
  'link.add': (event) => (isNewAccount(event) ? [created(event, 'social')] : []),
  'sso.login': (event) => [sessionCreated(event, 'sso')],
  'profile.update': changedFields,
  'email.change': changedFields,
  'email.undo': changedFields,
  'factor.enroll': (event) => [protectionChanged('user.factor_enabled', event)],
  'factor.disable': (event) => [protectionChanged('user.factor_disabled', event)],
  'passkey.add': (event) => [protectionChanged('user.passkey_added', event)],
  'passkey.remove': (event) => [protectionChanged('user.passkey_removed', event)],
  'account.delete': (event) => [
    template({
      event: 'user.deleted',
      user_id: subjectIdOf(event),
      audience: 'account',
      data: ({ user_id }) => ({ user_id }),
    }),
  ],
  'sso.link': (event) => (isNewAccount(event) ? [created(event, 'sso')] : []),
  'scim.user': (event) => {
    const status = textOf(event.after, 'account_status');
    const { organization_id } = tenantOf(event);
    const disabled = template({
      event: 'user.disabled',
      user_id: subjectIdOf(event),
      audience: 'account',
      data: ({ user_id, name }) => ({ user_id, name, organization_id }),
      redactedForOthers: ({ user_id, name }) => ({ user_id, name, organization_id: null }),
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
    template({
      event: 'invitation.created',
      user_id: event.target.user_id ?? null,
      audience: 'place',
      data: () => ({ ...invitationData(event), invited_by: event.user_id }),
    }),
  ],
  'invitation.accept': (event) => [
    invitation('invitation.accepted', event),
    // Accepting an offer of ownership also audits `owner.add`.
    ...(event.department_id === null ? [] : [memberAdded(event)]),
  ],
  'invitation.decline': (event) => [invitation('invitation.declined', event)],
  'invitation.withdraw': (event) => [invitation('invitation.withdrawn', event)],
};

const isNewAccount = ({ after }: AuditEvent): boolean =>
  ['created', 'taken over'].includes(textOf(after, 'account') ?? '');

/** Maps an audit event to zero or more webhook events, in a fixed order. */
export const templatesOf = (event: AuditEvent): EventTemplate[] =>
  TEMPLATES[event.action as RelayedAction]?.(event) ?? [];
