import { can, type Permission, type Role, rolesWith } from '@gatehouse/shared/access/rbac';
import { AppError } from '@gatehouse/shared/http/errors';
import { keyAllows } from '@gatehouse/shared/identity/machine-keys/admit';
import { callerId, principalOf } from '@gatehouse/shared/identity/principal';
import { anyOf, type Visible } from '@gatehouse/shared/operation/lists';
import { isPermission } from '@gatehouse/shared/operation/requirement';
import type { FastifyRequest } from 'fastify';
import type { Filter } from 'mongodb';
import { PERSONAL, type StoredChatbot } from '../chatbots/records.ts';
import type { Database } from '../database.ts';
import { isWrite, refuseArchived } from './archived.ts';
import { type CallerRoles, callerRoles, openRoles, refuseUnenrolled } from './caller-roles.ts';
import { archivedIn, departmentOf, liveRoles, type Roles, roleIn } from './roles.ts';

/** A user's role on a chatbot (CONTRACT.md §Role on a chatbot). A department that is being deleted gives none. */
export function roleOn(
  { owner_id, organization_id, department_id, permissions = [] }: StoredChatbot,
  user_id: string,
  roles: Roles,
): Role | undefined {
  const inherited = department_id === null ? undefined : roleIn(roles, department_id);
  if (department_id !== null && inherited === undefined) return undefined;
  if (organization_id !== null && roles.owned.has(organization_id)) return 'Owner';
  if (owner_id === user_id) return 'Owner';
  return permissions.find((grant) => grant.user_id === user_id)?.role ?? inherited;
}

/** The organization or department that a list is limited to; without either it includes personal chatbots. */
interface Scope {
  organization_id?: string | undefined;
  department_id?: string | undefined;
}

/** `roleOn` as filters: the chatbots on which a user's role has a permission, each in exactly one part. */
export function visibleTo(
  user_id: string,
  roles: Roles,
  permission: Permission,
  scope: Scope = {},
): Visible<StoredChatbot>[] {
  const departments = roles.departments.filter(
    ({ organization_id, department_id }) =>
      organization_id === (scope.organization_id ?? organization_id) &&
      department_id === (scope.department_id ?? department_id),
  );
  const joined = departments.filter(({ organization_id }) => !roles.owned.has(organization_id));
  const personal = scope.organization_id === undefined && scope.department_id === undefined ? [null] : [];
  const own = { department_id: { $in: [...personal, ...joined.map(({ department_id }) => department_id)] } };
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
    ...[...byOrganization].map(([organization_id, members]) => {
      const department_id = { $in: members.map((each) => each.department_id) };
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

/** The chatbots on which the caller has the permission that the route needs; to write, those that are not archived. */
interface Permitted {
  roles: CallerRoles;
  visible: Visible<StoredChatbot>[];
  /** Part of the filter of the read or write itself: the check and the operation are one command. */
  filter: Filter<StoredChatbot>;
  /**
   * Returns the chatbot that an operation found with `filter`.
   * @throws {AppError} if it found none: enrollmentRequired if the organization of a chatbot that the caller may view
   * requires it; forbidden if they may view the chatbot, with a text of its own if it is archived;
   * otherwise notFound.
   */
  found<T>(chatbot: T | null, chatbot_id: string): Promise<T>;
}

/**
 * Reads the caller's roles and applies the permission that the operation needs. Organizations that require a second
 * factor which the caller lacks have no part in it.
 * @throws {AppError} enrollmentRequired if the scope names one of them.
 */
export async function permittedChatbots(
  db: Database,
  request: FastifyRequest,
  scope: Scope = {},
): Promise<Permitted> {
  const permission = request.routeOptions.config.operation?.needs;
  if (!permission || !isPermission(permission)) throw new Error('the operation needs no permission');
  const caller = callerId(request);
  const roles = await callerRoles(db, request);
  refuseUnenrolled(roles, scope.organization_id);
  if (scope.department_id !== undefined)
    refuseUnenrolled(roles, departmentOf(roles, scope.department_id)?.organization_id);
  const open = openRoles(roles);
  const writes = isWrite(request);
  const visible = visibleTo(caller, writes ? liveRoles(open) : open, permission, scope);
  return {
    roles,
    visible,
    filter: anyOf(visible),
    async found(chatbot, chatbot_id) {
      if (chatbot !== null) return chatbot;
      const isView = permission === 'view chatbot';
      if (isView && roles.closed.size === 0) throw new AppError('notFound');
      const viewable = { chatbot_id, ...anyOf(visibleTo(caller, roles, 'view chatbot')) };
      const viewed = await db.chatbots.findOne(viewable);
      if (viewed === null) throw new AppError('notFound');
      refuseUnenrolled(roles, viewed.organization_id);
      if (isView) throw new AppError('notFound');
      const role = roleOn(viewed, caller, roles);
      if (writes && role && can(role, permission)) refuseArchived(archivedIn(roles, viewed.department_id));
      throw new AppError('forbidden');
    },
  };
}

/** A key needs this permission too where a call makes a chatbot besides. @throws {AppError} forbidden */
function requireCreation(request: FastifyRequest): void {
  if (!keyAllows(request, 'create chatbot'))
    throw new AppError('forbidden', { text: 'This key lacks the permission "create chatbot"' });
}

/** The place of a personal chatbot. @throws {AppError} forbidden for a service account, which has none of its own. */
export function personalPlace(request: FastifyRequest) {
  requireCreation(request);
  if (principalOf(request).serviceAccount)
    throw new AppError('forbidden', { text: 'A service account has no personal chatbots' });
  return PERSONAL;
}

/**
 * The place of a new chatbot in a department.
 * @throws {AppError} notFound if the creator has no role there; enrollmentRequired; forbidden if their role may not create chatbots or the
 * department is archived.
 */
export function placeForNewChatbot(request: FastifyRequest, roles: CallerRoles, department_id: string) {
  requireCreation(request);
  const department = departmentOf(roles, department_id);
  if (!department) throw new AppError('notFound');
  refuseUnenrolled(roles, department.organization_id);
  if (!can(department.role, 'create chatbot')) throw new AppError('forbidden');
  refuseArchived(department.archived);
  return { organization_id: department.organization_id, department_id };
}
