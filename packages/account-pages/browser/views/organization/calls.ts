import type { Role } from '@gatehouse/shared/access/rbac';
import { get, patch, post, put, remove } from '../../gate.ts';
import type { Archivable } from '../../own-roles.ts';
import type { Page } from '../../parts/pager.ts';
import type { PersonRecord } from '../../parts/person.ts';

export interface Organization extends Archivable {
  organization_id: string;
  name: string;
  created_at: string;
  /** Present while the members need a second factor. */
  second_factor?: { required_since: string; grace_ends_at: string };
}

export interface Department extends Archivable {
  department_id: string;
  organization_id: string;
  name: string;
  created_at: string;
}

/** The ids that the path of a call names. */
export interface Place {
  organization_id: string;
  department_id: string;
}

export interface Owner extends PersonRecord {
  granted_by: string;
  granted_at: string;
}

export interface Member extends PersonRecord {
  role: Role;
  granted_by: string;
  granted_at: string;
}

type InvitationStatus = 'pending' | 'declined' | 'expired' | 'accepted';

export interface Invitation {
  invitation_id: string;
  /** Null for an invitation by `user_id`. */
  email: string | null;
  user_id: string | null;
  role: Role;
  status: InvitationStatus;
  granted_by: string;
  granted_at: string;
  expires_at: string | null;
}

/** An offer to become an Owner. */
export interface Offer {
  invitation_id: string;
  user_id: string;
  /** Whether the Owner who made the offer then stops being one. */
  transfer: boolean;
  status: InvitationStatus;
  expires_at: string;
}

export const PLANS = ['Free', 'Starter', 'Professional', 'Business', 'Enterprise'] as const;

export interface Billing {
  department_id: string;
  subscription_plan: (typeof PLANS)[number];
  payment_status: 'pending' | 'paid' | 'failed';
  subscription_date: string;
  updated_at: string;
}

/** A change of the plan, or a payment that was reported. */
export interface BillingEntry {
  number: number;
  at: string;
  kind: 'plan' | 'payment';
  subscription_plan: (typeof PLANS)[number];
  payment_status: 'pending' | 'paid' | 'failed';
  changed_by: string | null;
  invoice_id: string | null;
  /** In the smallest unit of the currency. */
  amount: number | null;
  currency: string | null;
}

/** Somebody with a role anywhere in the organization. */
export interface PersonRoles extends PersonRecord {
  role: 'Owner' | null;
  departments: { department_id: string; name: string; role: Role }[];
  departments_total: number;
}

/** One person with all their grants. */
export interface PersonGrants extends PersonRecord {
  owner: { granted_by: string; granted_at: string } | null;
  departments: { department_id: string; name: string; role: Role; granted_at: string }[];
  chatbot_roles: { chatbot_id: string; department_id: string; role: Role; granted_at: string }[];
  chatbot_roles_total: number;
}

export interface Analytics {
  users: { total: number; by_role: Record<Role, number> };
  chatbots: {
    total: number;
    by_status: Record<'active' | 'paused', number>;
    by_type: Record<'3d' | 'text' | 'voice', number>;
  };
  /** By UTC day, today last. */
  activity: { date: string; events: number; by_action: Record<string, number> }[];
}

export interface AuditEvent {
  event_id: string;
  at: string;
  action: string;
  /** `success`, or why the attempt was refused. */
  outcome: string;
  actor: { user_id: string | null; email: string | null };
  target: Record<string, string>;
  before: Record<string, string | string[] | null> | null;
  after: Record<string, string | string[] | null> | null;
  department_id: string | null;
}

/** A department, or with null the whole organization. */
export interface WholePlace {
  organization_id: string;
  department_id: string | null;
}

export const EXPORT_FORMATS = ['json', 'csv'] as const;
export const DATA_SETS = ['members', 'chatbots', 'audit', 'invitations', 'billing'] as const;

/** What can be downloaded once an export is ready; `all` is the one file of a JSON export. */
export interface ExportFile {
  data: (typeof DATA_SETS)[number] | 'all';
  /** Bytes. */
  size: number;
  rows: number;
}

export interface ExportJob {
  export_id: string;
  organization_id: string;
  department_id: string | null;
  format: (typeof EXPORT_FORMATS)[number];
  data: (typeof DATA_SETS)[number][];
  status: 'pending' | 'running' | 'ready' | 'failed';
  error: string | null;
  progress: { rows_done: number; rows_total: number | null };
  files: ExportFile[];
  created_at: string;
  expires_at: string;
}

export const REPORT_METRICS = [
  'events',
  'members_added',
  'members_removed',
  'chatbots_created',
  'chatbots_deleted',
] as const;
export const REPORT_GROUPS = ['day', 'week', 'month', 'member', 'chatbot', 'action'] as const;

export interface Report {
  metric: (typeof REPORT_METRICS)[number];
  group_by: (typeof REPORT_GROUPS)[number];
  total: number;
  groups: { group: string; count: number }[];
  /** What the groups that are not shown count. */
  others: number;
}

const ALL = '/api/v1/organizations';
const part = (organization: string, rest = '') => `${ALL}/${encodeURIComponent(organization)}${rest}`;
const within = ({ organization_id, department_id }: Place, rest = '') =>
  part(organization_id, `/departments/${encodeURIComponent(department_id)}${rest}`);
const inside = ({ organization_id, department_id }: WholePlace, rest: string) =>
  department_id === null ? part(organization_id, rest) : within({ organization_id, department_id }, rest);
const owner = (organization: string, user: string) =>
  part(organization, `/owners/${encodeURIComponent(user)}`);
const member = (place: Place, user: string) => within(place, `/members/${encodeURIComponent(user)}`);

export const createOrganization = (name: string) => post<Organization>(ALL, { name });
export const readOrganization = (id: string) => get<Organization>(part(id));
export const requireSecondFactor = (id: string, required: boolean) =>
  put<Organization>(part(id, '/second-factor'), { required });
export const renameOrganization = (id: string, name: string) => patch<Organization>(part(id), { name });
export const archiveOrganization = (id: string) => post<Organization>(part(id, '/archive'));
export const restoreOrganization = (id: string) => post<Organization>(part(id, '/restore'));
export const listAudit = (id: string, query: string) => get<Page<AuditEvent>>(part(id, `/audit?${query}`));

/** Lists the Owners; to an Owner the offers as well. */
export const listOwners = (id: string) =>
  get<{ owners: Owner[]; offers?: Offer[] }>(part(id, '/owners?include=offers'));
/** Offers somebody to become an Owner. @param transfer whether the caller then stops being one. */
export const offerOwnership = (id: string, user: string, transfer: boolean) =>
  put<Owner | Offer>(owner(id, user), { transfer });
export const removeOwner = (id: string, user: string) => remove(owner(id, user));

const offer = (organization: string, id: string, rest = '') =>
  part(organization, `/offers/${encodeURIComponent(id)}${rest}`);
export const resendOffer = (organization: string, id: string) =>
  post<Offer>(offer(organization, id, '/resend'));
export const withdrawOffer = (organization: string, id: string) => remove(offer(organization, id));

const received = (id: string, answer: string) => `/api/v1/invitations/${encodeURIComponent(id)}/${answer}`;
export const acceptInvitation = (id: string) => post(received(id, 'accept'));
export const declineInvitation = (id: string) => post(received(id, 'decline'));

export const listDepartments = (id: string, query: string) =>
  get<Page<Department>>(part(id, `/departments?${query}`));
export const createDepartment = (id: string, name: string) =>
  post<Department>(part(id, '/departments'), { name });
export const renameDepartment = (place: Place, name: string) => patch<Department>(within(place), { name });

export const archiveDepartment = (
  place: Place,
  chatbots: { chatbots: 'delete' } | { chatbots: 'move'; move_to: string },
) => post<Department>(within(place, '/archive'), chatbots);
export const restoreDepartment = (place: Place) => post<Department>(within(place, '/restore'));

const person = (organization: string, user: string) =>
  part(organization, `/members/${encodeURIComponent(user)}`);
export const listPeople = (id: string, query: string) =>
  get<Page<PersonRoles>>(part(id, `/members?${query}`));
export const getPerson = (id: string, user: string) => get<PersonGrants>(person(id, user));
/** Ends every role of a person in the organization. */
export const removePerson = (id: string, user: string) => remove(person(id, user));

export const listMembers = (place: Place, query: string) =>
  get<Page<Member>>(within(place, `/members?${query}`));
export const setMember = (place: Place, user: string, role: Role) =>
  put<Member | Invitation>(member(place, user), { role });
export const removeMember = (place: Place, user: string) => remove(member(place, user));

export const listInvitations = (place: Place, query: string) =>
  get<Page<Invitation>>(within(place, `/invitations?${query}`));
export const invite = (place: Place, email: string, role: Role) =>
  post<Invitation>(within(place, '/invitations'), { email, role });
export const resendInvitation = (place: Place, id: string) =>
  post<Invitation>(within(place, `/invitations/${encodeURIComponent(id)}/resend`));
export const withdrawInvitation = (place: Place, id: string) =>
  remove(within(place, `/invitations/${encodeURIComponent(id)}`));

export const getBilling = (place: Place) => get<Billing>(within(place, '/billing'));
export const changePlan = (place: Place, subscription_plan: string) =>
  patch<Billing>(within(place, '/billing'), { subscription_plan });
export const listBillingHistory = (place: Place, page: number) =>
  get<Page<BillingEntry>>(within(place, `/billing/history?page=${page}&limit=10&sort_by=number&order=desc`));
export const getAnalytics = (place: Place, days: number) =>
  get<Analytics>(within(place, `/analytics?days=${days}`));

export const listExports = (place: WholePlace, page: number) =>
  get<Page<ExportJob>>(inside(place, `/exports?page=${page}&sort_by=created_at&order=desc`));
export const createExport = (place: WholePlace, job: Pick<ExportJob, 'format' | 'data'>) =>
  post<ExportJob>(inside(place, '/exports'), job);
const exportPath = (job: ExportJob, rest = '') =>
  inside(job, `/exports/${encodeURIComponent(job.export_id)}${rest}`);
export const deleteExport = (job: ExportJob) => remove(exportPath(job));
/** @param data the data set of a CSV export. */
export const downloadPath = (job: ExportJob, data?: string) =>
  exportPath(job, `/download${data === undefined ? '' : `?data=${data}`}`);

export const reportPath = (place: WholePlace, query: string) => inside(place, `/reports?${query}`);
export const getReport = (place: WholePlace, query: string) => get<Report>(reportPath(place, query));
