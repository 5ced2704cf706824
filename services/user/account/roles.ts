import { ROLES } from '@gatehouse/shared/access/rbac';
import { oneOf } from '@gatehouse/shared/http/fields';
import type { Document } from 'mongodb';
import { z } from 'zod';
import type { Grant } from '../access/access-list.ts';
import { ownRolesOf } from '../access/caller-roles.ts';
import { inviteeOf } from '../access/memberships/invitee.ts';
import type { Roles } from '../access/roles.ts';
import type { Chatbot } from '../chatbots/records.ts';
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

export const ownRoles = z
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
  byKey: 'view organizations',
  summary: 'List your own roles',
  description: `Returns every organization and department in which the caller has a role, by name, and up to ${MAX_CHATBOTS} personal chatbots of others to which they were granted access, the newest first. An Owner of an organization is Owner in each of its departments. Archived ones have \`archived_at\` and \`deletes_at\`. With \`include=invitations\`, the pending invitations to the caller as well.`,
  query: z.object({ include: oneOf(['invitations']).optional() }),
  returns: ownRoles,
  async handle({ db, now, request, caller: user_id, query }) {
    const [organizations, chatbots, received] = await Promise.all([
      ownRolesOf(db, request).then((roles) => organizationsOf(db, roles)),
      sharedWith(db, user_id),
      query.include && receivedInvitations(db, inviteeOf(request), now(), NEWEST),
    ]);
    return { user_id, organizations, ...chatbots, ...(received && { invitations: received.data }) };
  },
});

export async function organizationsOf(
  db: Database,
  { owned, departments }: Roles,
): Promise<z.infer<typeof ownRoles>['organizations']> {
  const departmentsOf = Map.groupBy(departments, ({ organization_id }) => organization_id);
  const organization_id = { $in: [...new Set([...owned, ...departmentsOf.keys()])] };
  const department_id = { $in: departments.map((each) => each.department_id) };
  const fields = { _id: 0, name: 1, archived_at: 1, deletes_at: 1 } as const;
  const [organizations, stored] = await Promise.all([
    db.organizations.find({ organization_id }, { projection: { ...fields, organization_id: 1 } }).toArray(),
    db.departments.find({ department_id }, { projection: { ...fields, department_id: 1 } }).toArray(),
  ]);
  const named = new Map(stored.map((department) => [department.department_id, department]));
  return organizations
    .map((organization) => ({
      ...organization,
      role: owned.has(organization.organization_id) ? ('Owner' as const) : null,
      departments: (departmentsOf.get(organization.organization_id) ?? [])
        .flatMap(({ department_id, role }) => {
          const department = named.get(department_id);
          return department ? [{ ...department, role }] : [];
        })
        .sort(byName),
    }))
    .sort(byName);
}

const byName = (one: { name: string }, other: { name: string }) => one.name.localeCompare(other.name, 'en');

/** The personal chatbots of others to which a user was granted access, and their number. */
async function sharedWith(db: Database, user_id: string) {
  const [rows, shared_chatbots_total] = await Promise.all([
    sharedChatbots(db, user_id, [{ $limit: MAX_CHATBOTS }]).toArray(),
    db.chatbots.countDocuments(isShared(user_id)),
  ]);
  return { shared_chatbots: rows.map(presentShared), shared_chatbots_total };
}

const isShared = (user_id: string) => ({
  'permissions.user_id': user_id,
  department_id: null,
  owner_id: { $ne: user_id },
});

type SharedChatbot = Pick<Chatbot, 'chatbot_id' | 'name' | 'owner_id'> & { grant: Grant };

/** The personal chatbots of others with the grant of a user, the newest first. */
export function sharedChatbots(db: Database, user_id: string, limit: Document[] = []) {
  const isTheirs = { $eq: ['$$this.user_id', { $literal: user_id }] };
  const grant = { $first: { $filter: { input: '$permissions', cond: isTheirs } } };
  return db.chatbots.aggregate<SharedChatbot>([
    { $match: isShared(user_id) },
    { $sort: { created_at: -1, chatbot_id: -1 } },
    ...limit,
    { $project: { _id: 0, chatbot_id: 1, name: 1, owner_id: 1, grant } },
  ]);
}

export const presentShared = ({ grant: { role, granted_by, granted_at }, ...chatbot }: SharedChatbot) => ({
  ...chatbot,
  role,
  granted_by,
  granted_at,
});
