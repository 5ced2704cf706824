import { can, type Permission, type Role, rolesWith } from '@gatehouse/shared/access/rbac';
import { isPermission } from '@gatehouse/shared/access/requirement';
import { AppError } from '@gatehouse/shared/http/errors';
import { callerId } from '@gatehouse/shared/identity/principal';
import type { FastifyRequest } from 'fastify';
import type { Filter } from 'mongodb';
import type { StoredChatbot } from '../chatbots/records.ts';
import type { Database } from '../database.ts';
import { anyOf, type Visible } from '../lists.ts';
import { type Roles, roleIn, rolesOf } from './roles.ts';

/**
 * Somebody's role on a chatbot: Owner if it is his or his organization's; else what the access list says; else
 * his role in its department. Who is not of the department has no role on its chatbots, whatever the list says.
 */
export function roleOn(
  { owner_id, organization_id, department_id, permissions = [] }: StoredChatbot,
  user_id: string,
  roles: Roles,
): Role | undefined {
  if (organization_id !== null && roles.owned.has(organization_id)) return 'Owner';
  const inherited = department_id === null ? undefined : roleIn(roles, department_id);
  if (department_id !== null && inherited === undefined) return undefined;
  if (owner_id === user_id) return 'Owner';
  return permissions.find((grant) => grant.user_id === user_id)?.role ?? inherited;
}

/** What a list is narrowed to; nothing, and chatbots of no department are in it too. */
export interface Place {
  organization_id?: string | undefined;
  department_id?: string | undefined;
}

/** `roleOn` as filters: the chatbots on which a user's role has a permission, none of them twice. */
export function visibleTo(
  user_id: string,
  roles: Roles,
  permission: Permission,
  place: Place = {},
): Visible<StoredChatbot>[] {
  const departments = roles.departments.filter(
    ({ organization_id, department_id }) =>
      organization_id === (place.organization_id ?? organization_id) &&
      department_id === (place.department_id ?? department_id),
  );
  const given = departments.filter(({ organization_id }) => !roles.owned.has(organization_id));
  const nowhere = place.organization_id === undefined && place.department_id === undefined ? [null] : [];
  const own = { department_id: { $in: [...nowhere, ...given.map(({ department_id }) => department_id)] } };
  const inherited = departments.filter(({ role }) => can(role, permission));
  const byOrganization = Map.groupBy(inherited, ({ organization_id }) => organization_id);
  return [
    { within: { owner_id: user_id, ...own } },
    {
      within: {
        permissions: { $elemMatch: { user_id, role: { $in: rolesWith(permission) } } },
        owner_id: { $ne: user_id },
        ...own,
      },
    },
    ...[...byOrganization].map(([organization_id, its]) => {
      const department_id = { $in: its.map((each) => each.department_id) };
      const within = { organization_id, department_id };
      if (roles.owned.has(organization_id)) return { within };
      return {
        within,
        except: [
          { owner_id: user_id, department_id },
          { 'permissions.user_id': user_id, owner_id: { $ne: user_id }, department_id },
        ],
      };
    }),
  ];
}

/** The chatbots to which a caller may do what the route is for. */
export interface Permitted {
  roles: Roles;
  visible: Visible<StoredChatbot>[];
  /** Stands in the filter of the read or write itself. */
  filter: Filter<StoredChatbot>;
  /**
   * What an operation found among them.
   * @throws {AppError} notFound for what the caller may not view; forbidden for what he may only not do.
   */
  found<T>(chatbot: T | null, chatbot_id: string): Promise<T>;
}

/** Reads the caller's roles, and from the route's own options what he needs. */
export async function permitted(
  db: Database,
  request: FastifyRequest,
  place: Place = {},
): Promise<Permitted> {
  const permission = request.routeOptions.config.permission;
  if (!permission || !isPermission(permission)) throw new Error('the route needs no permission of the table');
  const caller = callerId(request);
  const roles = await rolesOf(db, caller);
  const visible = visibleTo(caller, roles, permission, place);
  return {
    roles,
    visible,
    filter: anyOf(visible),
    async found(chatbot, chatbot_id) {
      if (chatbot !== null) return chatbot;
      const viewed = { chatbot_id, ...anyOf(visibleTo(caller, roles, 'view chatbot')) };
      const isSeen = permission !== 'view chatbot' && (await db.chatbots.findOne(viewed)) !== null;
      throw new AppError(isSeen ? 'forbidden' : 'notFound');
    },
  };
}
