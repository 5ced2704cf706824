import type { Role } from '@gatehouse/shared/access/rbac';
import { ANY_STRING, collection } from '@gatehouse/shared/data/connect';

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
  /** The invited user_id, which no account need have; absent on a member and on an invitation by e-mail. */
  invited_id?: string;
  /** When the invitation expires; absent on a member. */
  valid_until?: Date;
  /** The `valid_until` with which the invitation has lapsed; see memberships/lapse-invitations.ts. */
  lapsed?: Date;
  /** When the invitee declined. */
  declined_at?: Date;
  /** When the TTL index deletes the invitation; absent on a member. */
  expires_at?: Date;
  /** An id while a call is adding a person who has a role elsewhere in the organization; see memberships/add-from-within.ts. */
  adding?: string;
  /** An id while self-granted roles above a changed role are being revoked; see memberships/end-self-grants.ts. */
  revocation?: string;
  /** An id while a call is about to end the role of an Owner; see memberships/last-owner.ts. */
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
  /**
   * The actor, for the audit, of a removal from the whole organization; absent if only grants are left to end. The
   * address is null where the account is being deleted.
   */
  by?: { user_id: string; email: string | null };
  /** The same for some departments. Not in `by`: the previous version would remove more. */
  within?: { by: { user_id: string; email: string }; department_ids: string[] };
  /** Set while the account is being deleted: its roles end even if no Owner who can act remains. */
  forced?: true;
  /** Roles that were granted later are left alone. */
  began_at: Date;
}

/** Lists a person once, in however many departments they have a role; see roster.ts. */
export interface OrganizationPerson {
  organization_id: string;
  user_id: string;
  /** When they were last given a role. */
  enrolled_at: Date;
}

/** A time in which a user belonged to an organization; see departures/former-members.ts. */
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
  /** Those with one role. */
  granted_at_of_role: { department_id: 1, role: 1, granted_at: 1, user_id: 1 },
} as const;

/** Everything of a department, invitations too, in an order that no change of a membership moves. */
export const BY_MEMBERSHIP = { department_id: 1, membership_id: 1 } as const;

export const accessCollections = {
  departures: collection<Departure>('departures', [
    { key: { departure_id: 1 }, unique: true },
    { key: { user_id: 1 } },
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
  organizationPeople: collection<OrganizationPerson>('organization_people', [
    { key: { organization_id: 1, user_id: 1 }, unique: true },
  ]),
  formerMembers: collection<FormerMember>('former_members', [
    { key: { user_id: 1 } },
    { key: { expires_at: 1 }, expireAfterSeconds: 0 },
  ]),
};
