import { ROLES } from '@gatehouse/shared/access/rbac';
import { containsText, listQuery, pageResponse, paginationOf } from '@gatehouse/shared/operation/lists';
import type { Document } from 'mongodb';
import type { z } from 'zod';
import { type Invitee, inviteeOf, isInvited } from '../../access/memberships/invitee.ts';
import { withoutLapsed } from '../../access/memberships/inviter.ts';
import { NOT_LAPSED } from '../../access/memberships/lapse-invitations.ts';
import { isPending } from '../../access/memberships/states.ts';
import { nameOf } from '../../access/people.ts';
import type { Database } from '../../database.ts';
import { operation } from '../operation.ts';
import { isOpen } from '../owners/offers.ts';
import { receivedInvitation } from './contract.ts';

const table = {
  sortable: ['granted_at', 'expires_at'],
  filters: { organization_id: null, role: ROLES },
} as const;

type Row = Omit<z.infer<typeof receivedInvitation>, 'granted_by_name' | 'expires_at'> & { expires_at: Date };

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

/** One page of the invitations and offers that an invitee can accept. */
export async function receivedInvitations(
  db: Database,
  invitee: Invitee,
  now: number,
  { page, limit, sort_by, order, search, organization_id, role }: z.output<typeof query>,
) {
  const chosen = { ...(organization_id && { organization_id }), ...(role && { role }) };
  const matching: Document[] = [
    ...receivedBy(db, invitee, now),
    { $match: { ...chosen, ...(search && containsText('organization_name')(search)) } },
  ];
  const direction = order === 'asc' ? 1 : -1;
  const [rows, [counted]] = await Promise.all([
    db.memberships
      .aggregate<Row>([
        ...matching,
        { $sort: { [sort_by]: direction, invitation_id: direction } },
        { $skip: (page - 1) * limit },
        { $limit: limit },
      ])
      .toArray(),
    db.memberships.aggregate<{ total: number }>([...matching, { $count: 'total' }]).toArray(),
  ]);
  const names = await namesOf(db, rows);
  const data = rows.map((row) => ({
    ...row,
    granted_by_name: names.get(row.granted_by) ?? null,
    expires_at: row.expires_at.toISOString(),
  }));
  return { data, pagination: paginationOf(counted?.total ?? 0, { page, limit }) };
}

/** The stages that find these invitations and offers. They are few; see budget.ts. */
function receivedBy(db: Database, invitee: Invitee, now: number): Document[] {
  const shared = { _id: 0, organization_id: 1, granted_at: 1 };
  const nameIn = (collection: string) => ({ $ifNull: [{ $first: `$${collection}.name` }, null] });
  const joined = (collection: 'organizations' | 'departments', field: string) => ({
    $lookup: {
      from: db[collection].collectionName,
      localField: field,
      foreignField: field,
      as: collection,
    },
  });
  const offers = [
    { $match: { 'offers.user_id': invitee.user_id } },
    { $unwind: '$offers' },
    {
      $match: {
        'offers.user_id': invitee.user_id,
        'offers.declined_at': isOpen(now).declined_at,
        'offers.expires_at': isOpen(now).expires_at,
        // An offer lapses with the role of the Owner who made it.
        $expr: { $in: ['$offers.granted_by', '$owners.user_id'] },
      },
    },
    {
      $project: {
        _id: 0,
        organization_id: 1,
        invitation_id: '$offers.invitation_id',
        role: { $literal: 'Owner' },
        transfer: '$offers.transfer',
        granted_by: '$offers.granted_by',
        granted_at: '$offers.granted_at',
        expires_at: '$offers.expires_at',
      },
    },
  ];
  return [
    { $match: { ...isInvited(invitee), ...isPending(now), ...NOT_LAPSED } },
    {
      $project: {
        ...shared,
        department_id: 1,
        invitation_id: '$membership_id',
        role: 1,
        transfer: { $literal: false },
        email: 1,
        granted_by: 1,
        expires_at: '$valid_until',
      },
    },
    { $unionWith: { coll: db.organizations.collectionName, pipeline: offers } },
    joined('organizations', 'organization_id'),
    joined('departments', 'department_id'),
    {
      $match: {
        'organizations.0': { $exists: true },
        'organizations.archived_at': { $exists: false },
        'departments.archived_at': { $exists: false },
      },
    },
    ...withoutLapsed(db),
    {
      $project: {
        ...shared,
        invitation_id: 1,
        organization_name: nameIn('organizations'),
        department_id: { $ifNull: ['$department_id', null] },
        department_name: nameIn('departments'),
        role: 1,
        transfer: 1,
        email: { $ifNull: ['$email', null] },
        granted_by: 1,
        expires_at: 1,
      },
    },
  ];
}

/** The names of inviters, by user_id. */
async function namesOf(db: Database, rows: readonly Row[]): Promise<Map<unknown, string | null>> {
  const user_ids = [...new Set(rows.map(({ granted_by }) => granted_by))];
  if (user_ids.length === 0) return new Map();
  const users = await db.users
    .find({ user_id: { $in: user_ids } }, { projection: { user_id: 1, name: 1 } })
    .toArray();
  return new Map(users.map(({ user_id, name }) => [user_id, nameOf(name)]));
}
