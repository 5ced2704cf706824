import { grantableBy, ROLES } from '@gatehouse/shared/access/rbac';
import type { User } from '@gatehouse/shared/identity/user-record';
import { ACTIVE } from '@gatehouse/shared/identity/users';
import { listQuery, pageResponse, paginationOf } from '@gatehouse/shared/operation/lists';
import type { z } from 'zod';
import { type Invitee, inviteeOf, isInvited } from '../../access/memberships/invitee.ts';
import { NOT_LAPSED } from '../../access/memberships/lapse-invitations.ts';
import { isPending } from '../../access/memberships/states.ts';
import { nameOf } from '../../access/people.ts';
import type { Database } from '../../database.ts';
import { operation } from '../operation.ts';
import { isPending as isPendingOffer } from '../owners/offers.ts';
import type { Department } from '../records.ts';
import { receivedInvitation } from './contract.ts';

const table = {
  sortable: ['granted_at', 'expires_at'],
  filters: { organization_id: null, role: ROLES },
} as const;

const query = listQuery(table);

export const listReceivedInvitations = operation('GET /api/v1/invitations', {
  needs: 'own',
  summary: 'List the invitations to you',
  description:
    'Lists the pending invitations to departments and offers to become an Owner that are to the caller’s user_id or address. `search` matches the names of the organizations.',
  query,
  returns: pageResponse(receivedInvitation),
  async handle({ db, now, query, request }) {
    return receivedInvitations(db, inviteeOf(request), now(), query);
  },
});

type Received = z.infer<typeof receivedInvitation>;

/** One page of the invitations and offers that an invitee can accept. */
export async function receivedInvitations(
  db: Database,
  invitee: Invitee,
  now: number,
  { page, limit, sort_by, order, search, organization_id, role }: z.output<typeof query>,
) {
  const text = search?.toLowerCase() ?? '';
  const chosen = (await openTo(db, invitee, now)).filter(
    (each) =>
      each.organization_id === (organization_id ?? each.organization_id) &&
      each.role === (role ?? each.role) &&
      each.organization_name.toLowerCase().includes(text),
  );
  const key = (each: Received) => `${each[sort_by as keyof Received]} ${each.invitation_id}`;
  const ascending = chosen.sort((one, other) => (key(one) < key(other) ? -1 : 1));
  const sorted = order === 'asc' ? ascending : ascending.reverse();
  const data = sorted.slice((page - 1) * limit, page * limit);
  return { data, pagination: paginationOf(chosen.length, { page, limit }) };
}

/** The invitations and offers that still grant something. Few reach one person; see budget.ts. */
async function openTo(db: Database, invitee: Invitee, now: number): Promise<Received[]> {
  const { user_id } = invitee;
  const [invitations, offering] = await Promise.all([
    db.memberships.find({ ...isInvited(invitee), ...isPending(now), ...NOT_LAPSED }).toArray(),
    db.organizations.find({ 'offers.user_id': user_id }).toArray(),
  ]);
  const given = [
    ...invitations.map(
      ({ membership_id: invitation_id, valid_until: expires_at = new Date(0), ...each }) => ({
        ...each,
        invitation_id,
        expires_at,
        transfer: false,
      }),
    ),
    ...offering.flatMap(({ organization_id, offers = [] }) =>
      offers
        .filter((offer) => offer.user_id === user_id && isPendingOffer(offer, now))
        .map((offer) => ({ ...offer, organization_id, department_id: null, role: 'Owner' as const })),
    ),
  ];
  const inviters = { $in: [...new Set(given.map(({ granted_by }) => granted_by))] };
  const department_id = { $in: invitations.map((each) => each.department_id) };
  const organization_id = { $in: given.map((each) => each.organization_id) };
  const isOpen = { archived_at: { $exists: false } };
  const [organizations, departments, memberships, accounts] = await Promise.all([
    db.organizations.find({ organization_id, ...isOpen }).toArray(),
    db.departments
      .find({ department_id, ...isOpen }, { projection: { department_id: 1, name: 1 } })
      .toArray(),
    db.memberships.find({ department_id, user_id: inviters }).toArray(),
    db.users.find({ user_id: inviters, ...ACTIVE }, { projection: { user_id: 1, name: 1 } }).toArray(),
  ]);
  const organizationOf = new Map(organizations.map((each) => [each.organization_id, each]));
  const departmentOf = new Map<string | null, Pick<Department, 'name'>>(
    departments.map((each) => [each.department_id, each]),
  );
  const accountOf = new Map<unknown, Pick<User, 'name'>>(accounts.map((each) => [each.user_id, each]));
  const roleOf = new Map(memberships.map((each) => [`${each.department_id} ${each.user_id}`, each.role]));
  return given.flatMap((each) => {
    const { granted_by } = each;
    const organization = organizationOf.get(each.organization_id);
    const department = departmentOf.get(each.department_id);
    const inviter = accountOf.get(granted_by);
    if (!organization || !inviter || (each.department_id !== null && !department)) return [];
    const isOwner = organization.owners.some((owner) => owner.user_id === granted_by);
    const own = isOwner ? 'Owner' : roleOf.get(`${each.department_id} ${granted_by}`);
    // It lapses when its inviter may no longer grant its role.
    if (!own || !grantableBy(own).includes(each.role)) return [];
    return {
      invitation_id: each.invitation_id,
      organization_id: each.organization_id,
      organization_name: organization.name,
      department_id: each.department_id,
      department_name: department?.name ?? null,
      role: each.role,
      transfer: each.transfer,
      email: 'email' in each ? (each.email ?? null) : null,
      granted_by,
      granted_by_name: nameOf(inviter.name),
      granted_at: each.granted_at,
      expires_at: each.expires_at.toISOString(),
    };
  });
}
