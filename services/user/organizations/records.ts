import type { Role } from '@gatehouse/shared/access/rbac';
import { ANY_STRING, collection } from '@gatehouse/shared/data/connect';
import type { Grant } from '../access/access-list.ts';

/** Keeps the organization's document, which every bearer check of its members reads, small. */
export const MAX_OWNERS = 100;

/** Bounds the work of the role check, which reads every organization that the caller owns. */
export const MAX_OWNED = 100;

/** Days after which an archived place is deleted. */
export const ARCHIVED_DAYS = 30;

/** What an organization or department holds while it is archived, and none of it otherwise (CONTRACT.md §Archive). */
export interface Closing {
  /** ISO 8601, as is `deletes_at`. */
  archived_at?: string;
  /** When the deletion becomes due. */
  deletes_at?: string;
  /** Who archived it. */
  archived_by?: string;
  /** Set when the deletion begins: from then on nobody has a role here, and nothing is restored. */
  deleting?: true;
  /** When a process must continue the job of the place; while a lease is held, when it expires. */
  due_at?: Date;
  /** The id of the run that holds the lease of the job. */
  lease?: string;
}

/** An organization (CONTRACT.md §Organizations). */
export interface Organization extends Closing {
  organization_id: string;
  name: string;
  /** Owners in every department; at most `MAX_OWNERS`. None only if the last has left an archived organization. */
  owners: Omit<Grant, 'role'>[];
  /** Offers to become an Owner, oldest first; see owners/offers.ts. */
  offers?: Offer[];
  created_at: string;
  /** Counts the departments; see ../access/quotas.ts. */
  departments_reserved?: number;
  /** Whether its people from before the registry are enrolled; see ../access/roster.ts. */
  people_enrolled?: true;
}

/** An offer to a user, known or not, to become an Owner. It counts while whoever made it is an Owner. */
export interface Offer {
  invitation_id: string;
  user_id: string;
  /** Whether the Owner who made the offer stops being one when it is accepted. */
  transfer: boolean;
  granted_by: string;
  granted_at: string;
  expires_at: Date;
  declined_at?: Date;
}

/** A department has its own members, chatbots and billing record. */
export interface Department extends Closing {
  department_id: string;
  organization_id: string;
  name: string;
  /** The keys of the name, each unique in the organization; see name-keys.ts. */
  name_key: string[];
  created_at: string;
  billing: Billing;
  /** The latest payment reports that named an invoice, oldest first; see report-payment.ts. */
  payment_reports?: PaymentReport[];
  /** Single sign-on of the plan after its payment failed; see departments/payment-grace.ts. */
  payment_grace?: {
    began_at: Date;
    ends_at: Date;
    /** The next mail to the Owners, and who has not got it yet; absent once all were sent. */
    notice?: { day: number; due: Date; recipients?: string[] };
  };
  /** Numbers the entries of the billing history. */
  billing_number?: number;
  /** The latest entries until they are stored in the history; see departments/billing-entries.ts. */
  billing_outbox?: Omit<BillingEntry, 'department_id'>[];
  /** Counts the members; see ../access/quotas.ts. */
  members_reserved?: number;
  /** Where the chatbots of an archived department go; without it they are deleted with the department. */
  move_to?: string;
}

export interface PaymentReport {
  invoice_id: string;
  subscription_plan: Billing['subscription_plan'];
  payment_status: Billing['payment_status'];
}

/** Lists a person once, in however many departments they have a role; see ../access/roster.ts. */
export interface OrganizationPerson {
  organization_id: string;
  user_id: string;
  /** When they were last given a role. */
  enrolled_at: Date;
}

/** CONTRACT.md §User record, `subscription_plan`. */
export const PLANS = ['Free', 'Starter', 'Professional', 'Business', 'Enterprise'] as const;
export const PAYMENT_STATUSES = ['pending', 'paid', 'failed'] as const;

/** A change of a department's billing record (CONTRACT.md §Organizations). */
export interface BillingEntry {
  department_id: string;
  /** Counts the entries of the department from 1, in the order in which the changes took effect. */
  number: number;
  /** ISO 8601. */
  at: string;
  kind: (typeof BILLING_KINDS)[number];
  subscription_plan: Billing['subscription_plan'];
  payment_status: Billing['payment_status'];
  /** Who chose the plan; null for a report of the payment service. */
  changed_by: string | null;
  invoice_id: string | null;
  /** In the smallest unit of the currency, such as cents. */
  amount: number | null;
  /** ISO 4217. */
  currency: string | null;
}
export const BILLING_KINDS = ['plan', 'payment'] as const;

interface Billing {
  subscription_plan: (typeof PLANS)[number];
  payment_status: (typeof PAYMENT_STATUSES)[number];
  /** The date on which the plan was chosen. */
  subscription_date: string;
  updated_at: string;
}

/** A user's role in a department, or an invitation to it until the invitee accepts. */
export interface Membership {
  membership_id: string;
  organization_id: string;
  department_id: string;
  role: Role;
  granted_by: string;
  granted_at: string;
  /** Absent on an invitation. */
  user_id?: string;
  /** When the user became a member; absent on an invitation. */
  joined_at?: Date;
  /** The invited address in lower case; absent if the invitation or the addition was by user_id. */
  email?: string;
  /** The invited user_id, which may be nobody's; absent on a member and on an invitation by e-mail. */
  invited_id?: string;
  /** When the invitation expires; absent on a member. */
  valid_until?: Date;
  /** The `valid_until` with which the invitation has lapsed; see ../access/memberships/lapse-invitations.ts. */
  lapsed?: Date;
  /** When the invitee declined. */
  declined_at?: Date;
  /** When the TTL index deletes the invitation; absent on a member. */
  expires_at?: Date;
  /** An id while a call is adding a person who has a role elsewhere in the organization; see ../access/memberships/add-from-within.ts. */
  adding?: string;
  /** An id while self-granted roles above a changed role are being revoked; see ../access/memberships/end-self-grants.ts. */
  revocation?: string;
  /** An id while a call is about to end the role of an Owner; see ../access/memberships/last-owner.ts. */
  leaving?: string;
}

/**
 * A user who leaves an organization or is removed from it, or loses some of their roles there. Deleted once nothing of
 * these roles is left; a job completes those of an interrupted call.
 */
export interface Departure {
  departure_id: string;
  organization_id: string;
  user_id: string;
  /** Who removes them from the organization, for the audit; absent if only the grants of roles that have ended are left. */
  by?: { user_id: string; email: string };
  /** Who removes them from some departments only. Apart from `by`, so that the previous version removes nothing more. */
  within?: { by: { user_id: string; email: string }; department_ids: string[] };
  /** Roles that were granted later are left alone. */
  began_at: Date;
}

/** A time in which a user belonged to an organization; see ../access/departures/former-members.ts. */
export interface FormerMember {
  organization_id: string;
  user_id: string;
  joined_at: Date;
  left_at: Date;
  expires_at: Date;
}

export const MEMBERS = { department_id: 1, user_id: 1 } as const;
/** Each serves a page of the members of a department in one order without reading other members. */
export const MEMBER_ORDERS = {
  granted_at: { department_id: 1, granted_at: 1, user_id: 1 },
  email: { department_id: 1, email: 1, user_id: 1 },
  role: { department_id: 1, role: 1, user_id: 1 },
  /** Of one role. */
  granted_at_of_role: { department_id: 1, role: 1, granted_at: 1, user_id: 1 },
} as const;

/** Everything of a department, invitations too, in an order that no change of a membership moves. */
export const BY_MEMBERSHIP = { department_id: 1, membership_id: 1 } as const;

export const organizationCollections = {
  organizations: collection<Organization>('organizations', [
    { key: { organization_id: 1 }, unique: true },
    { key: { 'owners.user_id': 1 } },
    { key: { 'offers.user_id': 1 } },
    { key: { due_at: 1 }, sparse: true },
  ]),
  departments: collection<Department>('departments', [
    { key: { department_id: 1 }, unique: true },
    { key: { organization_id: 1, name_key: 1 }, unique: true },
    { key: { due_at: 1 }, sparse: true },
    { key: { 'payment_grace.notice.due': 1 }, sparse: true },
  ]),
  departures: collection<Departure>('departures', [
    { key: { departure_id: 1 }, unique: true },
    { key: { began_at: 1 } },
  ]),
  memberships: collection<Membership>('memberships', [
    { key: { user_id: 1 } },
    {
      key: MEMBERS,
      unique: true,
      partialFilterExpression: { user_id: ANY_STRING },
    },
    ...Object.values(MEMBER_ORDERS).map((key) => ({
      key,
      partialFilterExpression: { user_id: ANY_STRING },
    })),
    { key: { department_id: 1, email: 1 }, unique: true, partialFilterExpression: { email: ANY_STRING } },
    { key: { email: 1 } },
    {
      key: { department_id: 1, invited_id: 1 },
      unique: true,
      partialFilterExpression: { invited_id: ANY_STRING },
    },
    { key: { invited_id: 1 }, partialFilterExpression: { invited_id: ANY_STRING } },
    // The invitations that one person has made.
    {
      key: { granted_by: 1, department_id: 1 },
      partialFilterExpression: { valid_until: { $exists: true } },
    },
    { key: BY_MEMBERSHIP },
    { key: { expires_at: 1 }, expireAfterSeconds: 0 },
    { key: { revocation: 1 }, partialFilterExpression: { revocation: ANY_STRING } },
    { key: { leaving: 1 }, partialFilterExpression: { leaving: ANY_STRING } },
  ]),
  billingEntries: collection<BillingEntry>('billing_entries', [
    { key: { department_id: 1, number: 1 }, unique: true },
  ]),
  organizationPeople: collection<OrganizationPerson>('organization_people', [
    { key: { organization_id: 1, user_id: 1 }, unique: true },
  ]),
  formerMembers: collection<FormerMember>('former_members', [
    { key: { user_id: 1 } },
    { key: { expires_at: 1 }, expireAfterSeconds: 0 },
  ]),
};
