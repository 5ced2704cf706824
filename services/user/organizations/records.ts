import type { Role } from '@gatehouse/shared/access/rbac';
import { ANY_STRING, collection } from '@gatehouse/shared/data/connect';
import type { Grant } from '../access/grant.ts';

/** An organization contains departments (spec §Role and permission records). */
export interface Organization {
  organization_id: string;
  name: string;
  /** Owner in every department; never empty. */
  owners: Omit<Grant, 'role'>[];
  created_at: string;
}

/** A department has users, chatbots and a bill of its own. */
export interface Department {
  department_id: string;
  organization_id: string;
  name: string;
  /** The name in small letters: no two departments of an organization share one. */
  name_key: string;
  created_at: string;
  billing: Billing;
}

/** spec §User record, subscription_plan. */
export const PLANS = ['Free', 'Starter', 'Professional', 'Business', 'Enterprise'] as const;
export const PAYMENT_STATUSES = ['pending', 'paid', 'failed'] as const;

export interface Billing {
  subscription_plan: (typeof PLANS)[number];
  payment_status: (typeof PAYMENT_STATUSES)[number];
  /** The day on which the plan was chosen. */
  subscription_date: string;
  updated_at: string;
}

/** Who has which role in a department. Until its address is verified by somebody it is an invitation. */
export interface Membership {
  membership_id: string;
  organization_id: string;
  department_id: string;
  role: Role;
  granted_by: string;
  granted_at: string;
  /** Absent while this is an invitation. */
  user_id?: string;
  /** Since when he is a member; absent while this is an invitation. */
  joined_at?: Date;
  /** The address that was invited, in small letters; absent on who was added by user_id. */
  email?: string;
  /** Until when an invitation stands; absent on a member. */
  expires_at?: Date;
}

export const organizationCollections = {
  organizations: collection<Organization>('organizations', [
    { key: { organization_id: 1 }, unique: true },
    { key: { 'owners.user_id': 1 } },
  ]),
  departments: collection<Department>('departments', [
    { key: { department_id: 1 }, unique: true },
    { key: { organization_id: 1, name_key: 1 }, unique: true },
  ]),
  memberships: collection<Membership>('memberships', [
    { key: { user_id: 1 } },
    {
      key: { department_id: 1, user_id: 1 },
      unique: true,
      partialFilterExpression: { user_id: ANY_STRING },
    },
    { key: { department_id: 1, email: 1 }, unique: true, partialFilterExpression: { email: ANY_STRING } },
    { key: { email: 1 } },
    { key: { expires_at: 1 }, expireAfterSeconds: 0 },
  ]),
};
