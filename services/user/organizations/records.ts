import { collection } from '@gatehouse/shared/data/connect';
import type { Grant } from '../access/access-list.ts';

/** Keeps the organization's document, which every bearer check of its members reads, small. */
export const MAX_OWNERS = 100;

/** Bounds the work of the role check, which reads every organization that the caller owns. */
export const MAX_OWNED = 100;

/** Days after which an archived place is deleted. */
export const ARCHIVED_DAYS = 30;

/** Days that members have to set up a second factor which their organization requires. */
export const GRACE_DAYS = 14;

/** The fields of an archived organization or department; others lack them (CONTRACT.md §Archive). */
export interface ArchiveFields {
  /** ISO 8601, as is `deletes_at`. */
  archived_at?: string;
  /** When the deletion becomes due. */
  deletes_at?: string;
  /** Who archived it. */
  archived_by?: string;
  /** Set when the deletion begins: from then on it gives no role and cannot be restored. */
  deleting?: true;
  /** When a process must continue the job of the place; while a lease is held, when it expires. */
  due_at?: Date;
  /** The id of the run that holds the lease of the job. */
  lease?: string;
}

/** An organization (CONTRACT.md §Organizations). */
export interface Organization extends ArchiveFields {
  organization_id: string;
  name: string;
  /** Owners in every department; at most `MAX_OWNERS`. None only if the last has left an archived organization. */
  owners: Omit<Grant, 'role'>[];
  /** Offers to become an Owner, oldest first; see owners/offers.ts. */
  offers?: Offer[];
  created_at: string;
  /** Present while a second factor is required of the members. Both are ISO 8601. */
  second_factor?: { required_since: string; grace_ends_at: string };
  /** The requirement that was turned off; see require-second-factor.ts. */
  second_factor_before?: { ended_at: string; grace_ends_at: string };
  /** Counts the departments; see ../access/quotas.ts. */
  departments_reserved?: number;
  /** What an operator allows in place of the quotas of the plan; the members are those of each department. */
  quotas?: { departments?: number; members?: number };
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
export interface Department extends ArchiveFields {
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
    notice?: { day: number; due: Date; recipients?: string[]; holder?: string };
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

/** Finds organizations by the beginning of their name, in any case. */
export const BY_NAME = { name: 1, organization_id: 1 } as const;
export const NAME_COLLATION = { locale: 'en', strength: 2 } as const;
/** What operators list. */
export const BY_CREATION = { created_at: 1, organization_id: 1 } as const;

export const organizationCollections = {
  organizations: collection<Organization>('organizations', [
    { key: { organization_id: 1 }, unique: true },
    { key: { 'owners.user_id': 1 } },
    { key: { 'offers.user_id': 1 } },
    { key: { due_at: 1 }, sparse: true },
    { key: BY_NAME, collation: NAME_COLLATION },
    { key: BY_CREATION },
    { key: { archived_at: 1 }, sparse: true },
  ]),
  departments: collection<Department>('departments', [
    { key: { department_id: 1 }, unique: true },
    { key: { organization_id: 1, name_key: 1 }, unique: true },
    { key: { due_at: 1 }, sparse: true },
    { key: { 'payment_grace.notice.due': 1 }, sparse: true },
    // The organizations of a plan.
    { key: { 'billing.payment_status': 1, 'billing.subscription_plan': 1, organization_id: 1 } },
  ]),
  billingEntries: collection<BillingEntry>('billing_entries', [
    { key: { department_id: 1, number: 1 }, unique: true },
  ]),
};
