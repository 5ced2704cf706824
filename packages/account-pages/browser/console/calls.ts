import { get, post, put, remove } from '../gate.ts';
import type { Page } from '../parts/pager.ts';

/** The calls of the console (CONTRACT.md §Operators). */

const ADMIN = '/api/v1/admin';
const enc = encodeURIComponent;

export interface Operator {
  user_id: string;
  level: 'support' | 'admin';
  added_at: string;
  added_by: string;
}

export const getOperator = () => get<Operator & { mfa: boolean }>(`${ADMIN}/me`);
export const becomeOperator = (claim: string) => post<Operator>('/api/v1/users/me/operator', { claim });
export const listOperators = (query: string) => get<Page<Operator>>(`${ADMIN}/operators?${query}`);
export const setOperator = (user_id: string, level: string, reason: string) =>
  put<Operator | Approval>(`${ADMIN}/operators/${enc(user_id)}`, { level, reason });
export const removeOperator = (user_id: string, reason: string) =>
  remove(`${ADMIN}/operators/${enc(user_id)}`, { reason });

export interface Figures {
  at: string;
  signups: number;
  logins: number;
  refused_logins: number;
  codes_mailed: number;
  notices_mailed: number;
  mails_failed: number;
  webhook_deliveries: number;
  webhook_failures: number;
}

export const getFigures = () => get<{ data: Figures[] }>(`${ADMIN}/figures?by=hour`);

export interface Attention {
  kind: string;
  severity: 'warning' | 'error';
  text: string;
  names: string[];
}

export const getAttention = () => get<{ data: Attention[] }>(`${ADMIN}/attention`);

export interface Finding {
  check: string;
  status: 'fail' | 'warn' | 'ok';
  found: string;
  /** What to do; null when all is well. */
  advice: string | null;
}

export const checkSettings = () => get<{ checked_at: string; data: Finding[] }>(`${ADMIN}/settings-check`);

export interface Organization {
  organization_id: string;
  name: string;
  created_at: string;
  archived_at?: string;
  deletes_at?: string;
  plan: string;
  owners_total: number;
  departments_total: number;
}

interface Quota {
  limit: number | null;
  own: boolean;
}

export interface OrganizationDetail extends Omit<Organization, 'owners_total'> {
  quotas: { departments: Quota; members: Quota };
  owners: { user_id: string; name: string | null; email: string | null; able: boolean }[];
  able_owners_total: number;
  people_total: number;
  departments: {
    department_id: string;
    name: string;
    subscription_plan: string;
    payment_status: string;
    members_total: number;
    archived_at?: string;
  }[];
  connections: { connection_id: string; name: string; protocol: string; enabled: boolean }[];
  domains: { domain: string; verified: boolean; sso_required: boolean }[];
  webhooks: { total: number; disabled: number; failing: number };
}

const organizationPath = (id: string) => `${ADMIN}/organizations/${enc(id)}`;
export const listOrganizations = (query: string) =>
  get<Page<Organization>>(`${ADMIN}/organizations?${query}`);
export const getOrganization = (id: string) => get<OrganizationDetail>(organizationPath(id));
export const setPlan = (id: string, body: Record<string, string>) =>
  put(`${organizationPath(id)}/plan`, body);
export const setQuotas = (
  id: string,
  body: { departments: number | null; members: number | null; reason: string },
) => put(`${organizationPath(id)}/quotas`, body);
export const addOwner = (id: string, user_id: string, reason: string) =>
  post(`${organizationPath(id)}/owners`, { user_id, reason });
export const closeOrReopen = (id: string, act: 'archive' | 'restore', reason: string) =>
  post(`${organizationPath(id)}/${act}`, { reason });

type Changed = Record<string, string | string[] | null> | null;

export interface AuditEvent {
  event_id: string;
  at: string;
  action: string;
  outcome: string;
  actor: { user_id: string | null; email: string | null };
  target: Record<string, string>;
  before: Changed;
  after: Changed;
  organization_id: string | null;
  address: string | null;
  request_id: string;
}

export const listAudit = (query: string) => get<Page<AuditEvent>>(`${ADMIN}/audit?${query}`);
export const auditFile = (query: string) => `${ADMIN}/audit?${query}&format=csv`;

export interface TroubledWebhook {
  webhook_id: string;
  owner_id: string | null;
  organization_id: string | null;
  name: string | null;
  origin: string;
  failing_since: string | null;
  disabled_at: string | null;
  disabled_reason: string | null;
  consecutive_failures: number;
  backlog: number;
  last_error: { at: string; status: number | null; error: string | null } | null;
}

export const listWebhooks = (query: string) => get<Page<TroubledWebhook>>(`${ADMIN}/webhooks?${query}`);

export interface Job {
  name: string;
  every_seconds: number;
  completes: string;
  waiting: number | null;
  waiting_since: string | null;
  last_run_at: string | null;
  last_failure_at: string | null;
  last_failure: string | null;
  stuck: boolean;
}

export interface Repair {
  name: string;
  mark: string | null;
  left: number | null;
}

export const listJobs = () => get<{ jobs: Job[]; repairs: Repair[] }>(`${ADMIN}/jobs`);

export interface Approval {
  approval_id: string;
  act: string;
  person_id: string;
  reason: string;
  requested_by: string;
  requested_at: string;
  expires_at: string;
  status: string;
  decided_by: string | null;
  decision: string | null;
}

export const listApprovals = (query: string) => get<Page<Approval>>(`${ADMIN}/approvals?${query}`);
export const decide = (id: string, verdict: 'approve' | 'reject', reason: string) =>
  post(`${ADMIN}/approvals/${enc(id)}/${verdict}`, { reason });

export interface Person {
  person_id: string;
  user_id: string | null;
  email: string;
  name: string;
  state: 'active' | 'unverified' | 'paused' | 'disabled';
  created_at: string;
  plan: string | null;
  second_factor: boolean;
  passkeys: boolean;
  deletion_due_at: string | null;
  imported_from: string | null;
}

export interface PersonDetail extends Person {
  language: string | null;
  last_login_at: string | null;
  operator: string | null;
  password: 'set' | 'imported' | 'none';
  factor: { enrolled_at: string; recovery_codes: number; reset_at: string | null } | null;
  passkey_count: number;
  links: { link_id: string; provider: string; email: string | null }[];
  identities: { connection_id: string; email: string; gone_at: string | null }[];
  organizations: {
    organization_id: string;
    name: string;
    role: string | null;
    departments: { department_id: string; name: string; role: string }[];
  }[];
  sessions: {
    session_id: string;
    name: string | null;
    device: { browser: string | null; os: string | null; user_agent: string };
    address: string;
    last_used_at: string;
  }[];
  email_change: { email: string } | null;
  deletion: { due_at: string; begun: boolean } | null;
}

/** What stands in the way of a login, or could. */
export interface LoginFinding {
  finding: string;
  severity: 'blocks' | 'warns' | 'info';
  text: string;
  advice: string | null;
}

/** Changes of an account that take only a reason. */
export type PersonAct =
  | 'disable'
  | 'enable'
  | 'verify'
  | 'end-sessions'
  | 'reset-factor'
  | 'restore'
  | 'delete';

const personPath = (id: string) => `${ADMIN}/people/${enc(id)}`;
export const listPeople = (query: string) => get<Page<Person>>(`${ADMIN}/people?${query}`);
export const getPerson = (id: string) => get<PersonDetail>(personPath(id));
export const diagnoseLogin = (id: string) =>
  get<{ data: LoginFinding[] }>(`${personPath(id)}/login-diagnosis`);
export const changePerson = (id: string, act: PersonAct, reason: string) =>
  post<object>(`${personPath(id)}/${act}`, { reason });
export const setPersonPlan = (id: string, plan: string, reason: string) =>
  put(`${personPath(id)}/plan`, { plan, reason });
export const listPersonAudit = (id: string, query: string) =>
  get<Page<AuditEvent>>(`${personPath(id)}/audit?${query}`);

export interface SupportSession {
  session_id: string;
  person_id: string;
  operator: string;
  mode: 'read' | 'full';
  reason: string;
  began_at: string;
  expires_at: string;
  live: boolean;
}

export const listSupportSessions = (query: string) =>
  get<Page<SupportSession>>(`${ADMIN}/support-sessions?${query}`);
export const beginSupportSession = (id: string, body: { mode: string; minutes: number; reason: string }) =>
  post<{ link?: string }>(`${personPath(id)}/support-sessions`, body);
export const endSupportSession = (session_id: string, reason: string) =>
  remove(`${ADMIN}/support-sessions/${enc(session_id)}`, { reason });
