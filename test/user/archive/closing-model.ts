import { may, type SpecifiedRole as Role } from '../../fixtures/permissions.ts';

/** A plain model of archiving, leaving and moving (CONTRACT.md §Archive); tests compare the service with it. */

interface ModelChatbot {
  department: number | null;
  owner: number;
  /** The access list without the owner, the oldest grant first. */
  others: [user: number, role: Role][];
}

/** Users, organizations, departments and chatbots are numbered. Everybody is active. */
export interface State {
  organizations: { owners: number[]; archived: boolean; deleted?: boolean }[];
  departments: {
    organization: number;
    members: Partial<Record<number, Role>>;
    archived: boolean;
    deleted?: boolean;
  }[];
  /** Null: deleted with its department. */
  chatbots: (ModelChatbot | null)[];
}

export type Call =
  | { operation: 'leave'; by: number; organization: number; to: number }
  | { operation: 'archiveOrganization' | 'restoreOrganization'; by: number; organization: number }
  | { operation: 'archiveDepartment'; by: number; department: number; moveTo: number | null }
  | { operation: 'restoreDepartment'; by: number; department: number }
  | { operation: 'move'; by: number; chatbot: number; department: number | null }
  | { operation: 'edit'; by: number; chatbot: number }
  | { operation: 'create'; by: number; department: number | null };

type Department = State['departments'][number];
const at = <T>(items: T[], index: number): T => items[index] as T;

const organizationOf = ({ organizations }: State, { organization }: Department) =>
  at(organizations, organization);

function roleIn(state: State, user: number, department: number): Role | undefined {
  const place = at(state.departments, department);
  return organizationOf(state, place).owners.includes(user) ? 'Owner' : place.members[user];
}

export function roleOn(state: State, user: number, chatbot: ModelChatbot): Role | undefined {
  const { department, owner, others } = chatbot;
  const inherited = department === null ? undefined : roleIn(state, user, department);
  if (department !== null && inherited === undefined) return undefined;
  if (department !== null && organizationOf(state, at(state.departments, department)).owners.includes(user))
    return 'Owner';
  return owner === user ? 'Owner' : (others.find(([each]) => each === user)?.[1] ?? inherited);
}

function isArchived(state: State, department: number | null): boolean {
  if (department === null) return false;
  const place = at(state.departments, department);
  return place.archived || organizationOf(state, place).archived;
}

/** The members of the target stay on the list, and the owner if they are one; otherwise the heir follows. */
function relocate(state: State, chatbot: ModelChatbot, department: number | null, heir: number): void {
  const isMember = (user: number) => department !== null && roleIn(state, user, department) !== undefined;
  chatbot.owner = isMember(chatbot.owner) ? chatbot.owner : heir;
  chatbot.others = chatbot.others.filter(([user]) => isMember(user) && user !== chatbot.owner);
  chatbot.department = department;
}

/** Ends the grants of a user in the departments where they have no role any more. */
function revokeGrants(state: State, user: number, organization: number): void {
  const [fallback] = at(state.organizations, organization).owners;
  if (fallback === undefined) return;
  for (const chatbot of state.chatbots) {
    if (chatbot === null || chatbot.department === null) continue;
    if (at(state.departments, chatbot.department).organization !== organization) continue;
    if (roleIn(state, user, chatbot.department)) continue;
    chatbot.others = chatbot.others.filter(([each]) => each !== user);
    if (chatbot.owner !== user) continue;
    const heir = chatbot.others.find(
      ([each, role]) => role === 'Owner' && roleIn(state, each, chatbot.department as number),
    );
    chatbot.owner = heir?.[0] ?? fallback;
    chatbot.others = chatbot.others.filter(([each]) => each !== chatbot.owner);
  }
}

/** The roles that a role may grant, and so end. */
const isBelow = (role: Role, own: Role | undefined) =>
  own === 'Owner' || (own === 'Admin' && role !== 'Owner');

function leave(state: State, { by, to, organization }: Call & { operation: 'leave' }): number {
  const place = at(state.organizations, organization);
  const departments = [...state.departments.keys()].filter(
    (number) => at(state.departments, number).organization === organization,
  );
  const rolesOf = (user: number) =>
    departments.flatMap((number) => {
      const role = at(state.departments, number).members[user];
      return role ? [[number, role] as const] : [];
    });
  const owns = place.owners.includes(by);
  if (!owns && rolesOf(by).length === 0) return 404;
  if (by !== to && !owns && !rolesOf(by).some(([, role]) => may(role, 'remove users'))) return 403;
  if (by !== to && place.archived) return 403;
  const isOwner = place.owners.includes(to);
  let ending = rolesOf(to);
  if (!isOwner && !ending.some(([number]) => roleIn(state, by, number))) return 404;
  if (by === to) {
    if (isOwner && place.owners.length === 1 && !place.archived) return 403;
  } else if (!owns) {
    // Others than the Owners remove a person from the departments that they administer.
    ending = ending.filter(([number]) => {
      const own = roleIn(state, by, number);
      return own && may(own, 'remove users') && !at(state.departments, number).archived;
    });
    const mayEnd = ending.every(([number, role]) => isBelow(role, roleIn(state, by, number)));
    if (isOwner || ending.length === 0 || !mayEnd) return 403;
  }
  place.owners = place.owners.filter((each) => each !== to);
  for (const [number] of ending) delete at(state.departments, number).members[to];
  revokeGrants(state, to, organization);
  return 200;
}

/** Applies a call to the state. @returns the status that the service must answer. */
export function perform(state: State, call: Call, { staying = [] }: { staying?: number[] } = {}): number {
  const { by } = call;
  switch (call.operation) {
    case 'leave':
      return leave(state, call);
    case 'archiveOrganization':
    case 'restoreOrganization': {
      const place = at(state.organizations, call.organization);
      const isMember = state.departments.some(
        ({ organization, members }) => organization === call.organization && members[by],
      );
      if (!place.owners.includes(by)) return isMember ? 403 : 404;
      place.archived = call.operation === 'archiveOrganization';
      return 200;
    }
    case 'archiveDepartment':
    case 'restoreDepartment': {
      const place = at(state.departments, call.department);
      if (!roleIn(state, by, call.department)) return 404;
      const organization = organizationOf(state, place);
      if (!organization.owners.includes(by) || organization.archived) return 403;
      if (call.operation === 'restoreDepartment') {
        place.archived = false;
        return 200;
      }
      const { moveTo } = call;
      const target = moveTo === null ? undefined : at(state.departments, moveTo);
      if (target && (target === place || target.archived || target.organization !== place.organization))
        return 400;
      if (place.archived) return 200;
      place.archived = true;
      if (moveTo === null) return 200;
      for (const [number, chatbot] of state.chatbots.entries())
        if (chatbot?.department === call.department && !staying.includes(number))
          relocate(state, chatbot, moveTo, by);
      return 200;
    }
    case 'create': {
      const { department } = call;
      const role = department === null ? 'Owner' : roleIn(state, by, department);
      if (!role) return 404;
      if (!may(role, 'create chatbot') || isArchived(state, department)) return 403;
      state.chatbots.push({ department, owner: by, others: [] });
      return 201;
    }
  }
  const chatbot = at(state.chatbots, call.chatbot) as ModelChatbot;
  const role = roleOn(state, by, chatbot);
  if (!role || !may(role, 'view chatbot')) return 404;
  const needed = call.operation === 'edit' ? 'edit chatbot' : 'delete chatbot';
  if (!may(role, needed) || isArchived(state, chatbot.department)) return 403;
  if (call.operation === 'edit') return 200;
  const { department } = call;
  if (department !== null) {
    const there = roleIn(state, by, department);
    if (!there) return 404;
    if (!may(there, 'create chatbot') || isArchived(state, department)) return 403;
  }
  if (chatbot.department !== department) relocate(state, chatbot, department, by);
  return 200;
}

/** Deletes what is archived, as the job does when its time is over. */
export function deleteArchived(state: State): void {
  for (const place of state.organizations) place.deleted = place.archived;
  for (const place of state.departments)
    place.deleted = place.archived || organizationOf(state, place).archived;
  state.chatbots = state.chatbots.map((chatbot) =>
    chatbot && chatbot.department !== null && at(state.departments, chatbot.department).deleted
      ? null
      : chatbot,
  );
}
