import { ROLES, type Role } from '@gatehouse/shared/access/rbac';
import { oneOf } from '@gatehouse/shared/http/fields';
import { z } from 'zod';
import type { Grant } from '../access/access-list.ts';
import { inviteeOf } from '../access/memberships/invitee.ts';
import type { Database } from '../database.ts';
import { archiveFields } from '../organizations/contract.ts';
import { receivedInvitation } from '../organizations/invitations/contract.ts';
import { receivedInvitations } from '../organizations/invitations/list-received.ts';
import { operation } from './operation.ts';

/** Personal chatbots of others in one answer. */
const MAX_CHATBOTS = 100;

/** The invitations that are included. */
const NEWEST = { page: 1, limit: 100, sort_by: 'granted_at', order: 'desc' } as const;

const ORGANIZATION = '01936f2e-7d3c-7a44-8c1e-5b0f3f6a9d21';

const ownRoles = z
  .object({
    user_id: z.string(),
    organizations: z.array(
      z.object({
        organization_id: z.string(),
        name: z.string(),
        role: z.literal('Owner').nullable().meta({ description: '`Owner` of the organization, or null' }),
        ...archiveFields,
        departments: z.array(
          z.object({ department_id: z.string(), name: z.string(), role: z.enum(ROLES), ...archiveFields }),
        ),
      }),
    ),
    shared_chatbots: z
      .array(
        z.object({
          chatbot_id: z.string(),
          name: z.string(),
          owner_id: z.string(),
          role: z.enum(ROLES),
          granted_by: z.string(),
          granted_at: z.string().meta({ format: 'date-time' }),
        }),
      )
      .meta({ description: 'The newest personal chatbots of others on which the caller has a role' }),
    shared_chatbots_total: z.int(),
    invitations: z
      .array(receivedInvitation)
      .meta({ description: 'With `include=invitations`: the newest 100 invitations to the caller' })
      .exactOptional(),
  })
  .meta({
    description: 'The roles',
    examples: [
      {
        user_id: 'User-720415',
        organizations: [
          {
            organization_id: ORGANIZATION,
            name: 'Analytical Engines',
            role: null,
            departments: [
              { department_id: '01936f2f-02b1-7c1f-9a77-3f1d3c0e8b52', name: 'Support', role: 'Editor' },
            ],
          },
        ],
        shared_chatbots: [
          {
            chatbot_id: '01936f30-1c2d-7e3f-8a4b-5c6d7e8f9a0b',
            name: 'Receptionist',
            owner_id: 'User-483920',
            role: 'Viewer',
            granted_by: 'User-483920',
            granted_at: '2026-01-15T09:30:00.000Z',
          },
        ],
        shared_chatbots_total: 1,
      },
    ],
  });

export const listOwnRoles = operation('GET /api/v1/users/me/roles', {
  needs: 'own',
  summary: 'List your own roles',
  description: `Returns every organization and department in which the caller has a role, by name, and up to ${MAX_CHATBOTS} personal chatbots of others to which they were granted access, the newest first. An Owner of an organization is Owner in each of its departments. Archived ones have \`archived_at\` and \`deletes_at\`. With \`include=invitations\`, the pending invitations to the caller as well.`,
  query: z.object({ include: oneOf(['invitations']).optional() }),
  returns: ownRoles,
  async handle({ db, now, request, caller: user_id, query }) {
    const [places, chatbots, received] = await Promise.all([
      placesOf(db, user_id),
      sharedWith(db, user_id),
      query.include && receivedInvitations(db, inviteeOf(request), now(), NEWEST),
    ]);
    const organizations = organizationsOf(places);
    return { user_id, organizations, ...chatbots, ...(received && { invitations: received.data }) };
  },
});

/** An organization that the user owns, with its departments, or one department where they are a member. */
interface Place {
  organization_id: string;
  name: string;
  archived_at?: string;
  deletes_at?: string;
  departments: { department_id: string; name: string; archived_at?: string; deletes_at?: string }[];
  /** Absent in an organization that the user owns. */
  role?: Role;
}

const joined = (from: { collectionName: string }, field: string, as: string) => ({
  $lookup: { from: from.collectionName, localField: field, foreignField: field, as },
});

const DEPARTMENTS = {
  $map: {
    input: { $filter: { input: '$departments', cond: { $not: ['$$this.deleting'] } } },
    in: {
      department_id: '$$this.department_id',
      name: '$$this.name',
      archived_at: '$$this.archived_at',
      deletes_at: '$$this.deletes_at',
    },
  },
};

/** Reads where a user has a role with one query. */
const placesOf = (db: Database, user_id: string): Promise<Place[]> =>
  db.memberships
    .aggregate<Place>([
      { $match: { user_id } },
      joined(db.organizations, 'organization_id', 'organizations'),
      joined(db.departments, 'department_id', 'departments'),
      // A place that is being deleted gives no role.
      { $match: { 'organizations.deleting': { $exists: false } } },
      {
        $project: {
          _id: 0,
          organization_id: 1,
          role: 1,
          name: { $first: '$organizations.name' },
          archived_at: { $first: '$organizations.archived_at' },
          deletes_at: { $first: '$organizations.deletes_at' },
          departments: DEPARTMENTS,
        },
      },
      {
        $unionWith: {
          coll: db.organizations.collectionName,
          pipeline: [
            { $match: { 'owners.user_id': user_id, deleting: { $exists: false } } },
            joined(db.departments, 'organization_id', 'departments'),
            {
              $project: {
                _id: 0,
                organization_id: 1,
                name: 1,
                archived_at: 1,
                deletes_at: 1,
                departments: DEPARTMENTS,
              },
            },
          ],
        },
      },
    ])
    .toArray();

function organizationsOf(places: readonly Place[]): z.infer<typeof ownRoles>['organizations'] {
  // The department of a membership may be being deleted.
  const present = places.filter(({ role, departments }) => role === undefined || departments.length > 0);
  const byOrganization = Map.groupBy(present, ({ organization_id }) => organization_id);
  const organizations = [...byOrganization].map(([organization_id, own]) => {
    const owned = own.find(({ role }) => role === undefined);
    // A membership below an organization that the user owns adds nothing.
    const departments = (owned ? [owned] : own).flatMap((place) =>
      place.departments.map((department) => ({ ...department, role: place.role ?? ('Owner' as const) })),
    );
    const { name = '', archived_at, deletes_at } = own[0] ?? {};
    return {
      organization_id,
      name,
      role: owned ? ('Owner' as const) : null,
      ...(archived_at !== undefined && { archived_at }),
      ...(deletes_at !== undefined && { deletes_at }),
      departments: departments.sort(byName),
    };
  });
  const isEmpty = ({ role, departments }: (typeof organizations)[0]) =>
    role === null && departments.length === 0;
  return organizations.filter((each) => !isEmpty(each)).sort(byName);
}

const byName = (one: { name: string }, other: { name: string }) => one.name.localeCompare(other.name, 'en');

/** The personal chatbots of others to which a user was granted access, and their number, with one query. */
async function sharedWith(db: Database, user_id: string) {
  const shared = { 'permissions.user_id': user_id, department_id: null, owner_id: { $ne: user_id } };
  const isTheirs = { $eq: ['$$this.user_id', { $literal: user_id }] };
  const rows = await db.chatbots
    .aggregate<
      { total: number } | { chatbot_id: string; name: string; owner_id: string; permissions: Grant[] }
    >([
      { $match: shared },
      { $sort: { created_at: -1, chatbot_id: -1 } },
      { $limit: MAX_CHATBOTS },
      {
        $project: {
          _id: 0,
          chatbot_id: 1,
          name: 1,
          owner_id: 1,
          permissions: { $filter: { input: '$permissions', cond: isTheirs } },
        },
      },
      {
        $unionWith: {
          coll: db.chatbots.collectionName,
          pipeline: [{ $match: shared }, { $count: 'total' }],
        },
      },
    ])
    .toArray();
  const shared_chatbots = rows.flatMap((row) => {
    if ('total' in row) return [];
    const { permissions, ...chatbot } = row;
    return permissions.slice(0, 1).map(({ role, granted_by, granted_at }) => ({
      ...chatbot,
      role,
      granted_by,
      granted_at,
    }));
  });
  const shared_chatbots_total = rows.find((row) => 'total' in row)?.total ?? 0;
  return { shared_chatbots, shared_chatbots_total };
}
