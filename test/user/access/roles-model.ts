import { may, type SpecifiedRole as Role, SPECIFIED_PERMISSIONS } from '../../fixtures/permissions.ts';

/** A plain model of the rules for roles on chatbots (CONTRACT.md §Roles); tests compare the service with it. */

/** A chatbot; `others` is its access list without the owner, the oldest grant first. */
interface ModelChatbot {
  department: number | null;
  owner: number;
  others: [user: number, role: Role][];
  /** The users who granted themselves their entry; creation is not a grant. */
  selfGranted: number[];
  deleted?: boolean;
}

/** Users, organizations, departments and chatbots are numbered. */
export interface State {
  /** The Owners of each organization. */
  owners: number[][];
  /** The organization of each department. */
  departments: number[];
  /** The roles in each department, by user. */
  members: Partial<Record<number, Role>>[];
  chatbots: ModelChatbot[];
}

/** Users below this number are active; the next one is disabled, the last one does not exist. */
export const ACTIVE = 5;
export const USERS = ACTIVE + 2;

export type Call =
  | { operation: 'create'; by: number; department: number | null }
  | { operation: 'list'; by: number }
  | { operation: 'view' | 'edit' | 'delete' | 'duplicate' | 'me'; by: number; chatbot: number }
  | { operation: 'grant'; by: number; chatbot: number; to: number; role: Role }
  | { operation: 'revoke'; by: number; chatbot: number; to: number }
  // Whoever is invited by these two accepts at once.
  | { operation: 'setMember'; by: number; department: number; to: number; role: Role }
  | { operation: 'removeMember'; by: number; department: number; to: number }
  | { operation: 'addOwner' | 'removeOwner'; by: number; organization: number; to: number };

function roleIn({ owners, departments, members }: State, user: number, department: number): Role | undefined {
  if (owners[departments[department] as number]?.includes(user)) return 'Owner';
  return members[department]?.[user];
}

const granted = ({ owner, others }: ModelChatbot, user: number): Role | undefined =>
  owner === user ? 'Owner' : others.find(([each]) => each === user)?.[1];

const inherited = (state: State, user: number, { department }: ModelChatbot) =>
  department === null ? undefined : roleIn(state, user, department);

export function roleOn(state: State, user: number, chatbot: ModelChatbot): Role | undefined {
  const { department } = chatbot;
  if (chatbot.deleted) return undefined;
  if (department !== null) {
    if (state.owners[state.departments[department] as number]?.includes(user)) return 'Owner';
    if (roleIn(state, user, department) === undefined) return undefined;
  }
  return granted(chatbot, user) ?? inherited(state, user, chatbot);
}

const isAbove = (role: Role | undefined, own: Role) =>
  SPECIFIED_PERMISSIONS.some((permission) => may(role, permission) && !may(own, permission));

/** Whether a user can act on a chatbot: an active account and, in a department, a role there. */
const isAble = (state: State, user: number, { department }: ModelChatbot) =>
  user < ACTIVE && (department === null || roleIn(state, user, department) !== undefined);

/** The first other Owner on the list who can act. */
const heirOf = (state: State, chatbot: ModelChatbot) =>
  chatbot.others.find(([user, role]) => role === 'Owner' && isAble(state, user, chatbot))?.[0];

/** Makes a user the owner. */
const passOn = (chatbot: ModelChatbot, heir: number) => {
  chatbot.owner = heir;
  chatbot.others = chatbot.others.filter(([each]) => each !== heir);
};

/** Revokes a former member's grants; their chatbots pass to the first other Owner, or else to one of the organization. */
const revokeGrants = (state: State, user: number, department: number) => {
  if (state.owners[state.departments[department] as number]?.includes(user)) return;
  for (const chatbot of state.chatbots)
    if (chatbot.department === department) revoke(state, user, chatbot, department);
};

/** Revokes what a member granted themselves above the role that they have now. */
const revokeSelfGrants = (state: State, user: number, department: number) => {
  const role = roleIn(state, user, department);
  for (const chatbot of state.chatbots) {
    const own = granted(chatbot, user);
    if (chatbot.department === department && chatbot.selfGranted.includes(user) && role && isAbove(own, role))
      revoke(state, user, chatbot, department);
  }
};

function revoke(state: State, user: number, chatbot: ModelChatbot, department: number) {
  const { owner } = chatbot;
  const [fallback] = state.owners[state.departments[department] as number] as [number];
  const wasOwner = granted(chatbot, user) === 'Owner';
  chatbot.others = chatbot.others.filter(([each]) => each !== user);
  chatbot.selfGranted = chatbot.selfGranted.filter((each) => each !== user);
  if (owner === user) passOn(chatbot, heirOf(state, chatbot) ?? fallback);
  else if (wasOwner && !isAble(state, owner, chatbot) && heirOf(state, chatbot) === undefined) {
    passOn(chatbot, fallback);
    chatbot.others.unshift([owner, 'Owner']);
  }
}

/** Applies a call to the state. @returns the status that the service must answer. */
export function perform(state: State, call: Call): number {
  const { by } = call;
  switch (call.operation) {
    case 'list':
      return 200;
    case 'create': {
      const { department } = call;
      if (department !== null) {
        const role = roleIn(state, by, department);
        if (!role) return 404;
        if (!may(role, 'create chatbot')) return 403;
      }
      state.chatbots.push({ department, owner: by, others: [], selfGranted: [] });
      return 201;
    }
    case 'setMember':
    case 'removeMember':
      return changeMember(state, call);
    case 'addOwner':
    case 'removeOwner':
      return changeOwner(state, call);
  }
  const chatbot = state.chatbots[call.chatbot] as ModelChatbot;
  const own = roleOn(state, by, chatbot);
  if (call.operation === 'me') return own ? 200 : 404;
  if (call.operation === 'revoke' && own && call.to === by) return leave(state, by, chatbot, own);
  if (!own || !may(own, 'view chatbot')) return 404;
  switch (call.operation) {
    case 'view':
      return 200;
    case 'edit':
      return may(own, 'edit chatbot') ? 200 : 403;
    case 'delete':
      if (!may(own, 'delete chatbot')) return 403;
      chatbot.deleted = true;
      return 200;
    case 'duplicate':
      if (!may(own, 'duplicate chatbot')) return 403;
      if (chatbot.department !== null && !may(roleIn(state, by, chatbot.department), 'create chatbot'))
        return 403;
      state.chatbots.push({ department: chatbot.department, owner: by, others: [], selfGranted: [] });
      return 201;
    case 'grant': {
      const { to, role } = call;
      const before = granted(chatbot, to) ?? inherited(state, to, chatbot);
      if (!may(own, 'assign roles') || isAbove(role, own) || isAbove(before, own)) return 403;
      const isStranger = chatbot.department !== null && !inherited(state, to, chatbot);
      if (!granted(chatbot, to) && (to >= ACTIVE || isStranger)) return 404;
      return change(state, chatbot, to, role, by);
    }
    case 'revoke': {
      const { to } = call;
      const after = inherited(state, to, chatbot);
      const before = granted(chatbot, to) ?? after;
      if (!may(own, 'remove users') || isAbove(before, own) || isAbove(after, own)) return 403;
      return granted(chatbot, to) ? change(state, chatbot, to) : 404;
    }
  }
}

function leave(state: State, user: number, chatbot: ModelChatbot, own: Role): number {
  if (!granted(chatbot, user)) return 404;
  return isAbove(inherited(state, user, chatbot), own) ? 403 : change(state, chatbot, user);
}

/** Sets or removes an entry. The last Owner who can act stays; otherwise the first other Owner takes over. */
function change(state: State, chatbot: ModelChatbot, user: number, role?: Role, by?: number): number {
  const { owner } = chatbot;
  if (granted(chatbot, user) === 'Owner' && role !== 'Owner') {
    const left = { ...chatbot, others: chatbot.others.filter(([each]) => each !== user) };
    const heir = heirOf(state, left);
    if (heir === undefined && (user === owner || !isAble(state, owner, chatbot))) return 403;
    if (user === owner) passOn(chatbot, heir as number);
  }
  chatbot.selfGranted = chatbot.selfGranted.filter((each) => each !== user);
  if (user === by) chatbot.selfGranted.push(user);
  if (user === chatbot.owner) return 200;
  chatbot.others = chatbot.others.filter(([each]) => each !== user);
  if (role) chatbot.others.push([user, role]);
  return 200;
}

function changeMember(state: State, call: Call & { operation: 'setMember' | 'removeMember' }): number {
  const { by, to, department } = call;
  const members = state.members[department] as Partial<Record<number, Role>>;
  const own = roleIn(state, by, department);
  if (!own) return 404;
  const current = members[to];
  if (call.operation === 'removeMember') {
    if (to !== by && !may(own, 'remove users')) return 403;
    if (!current) return 404;
    if (to !== by && isAbove(current, own)) return 403;
    delete members[to];
    revokeGrants(state, to, department);
    return 200;
  }
  if (!may(own, 'assign roles') || isAbove(call.role, own)) return 403;
  if (state.owners[state.departments[department] as number]?.includes(to)) return 403;
  if (isAbove(current, own)) return 403;
  if (!current && to === by) return 403;
  if (to >= ACTIVE) return 202; // nobody accepts the invitation
  if (!current) revokeGrants(state, to, department);
  members[to] = call.role;
  if (current) revokeSelfGrants(state, to, department);
  return 200;
}

function changeOwner(
  state: State,
  { operation, by, to, organization }: Call & { operation: 'addOwner' | 'removeOwner' },
): number {
  const owners = state.owners[organization] as number[];
  const isIn = state.members.some(
    (members, department) => state.departments[department] === organization && members[by],
  );
  if (!owners.includes(by)) return isIn ? 403 : 404;
  if (operation === 'addOwner') {
    if (to >= ACTIVE) return 202; // nobody accepts the offer
    if (!owners.includes(to)) owners.push(to);
    return 200;
  }
  if (!owners.includes(to)) return 404;
  if (owners.length === 1) return 403;
  state.owners[organization] = owners.filter((each) => each !== to);
  for (const [department, members] of state.members.entries())
    if (state.departments[department] === organization)
      (members[to] ? revokeSelfGrants : revokeGrants)(state, to, department);
  return 200;
}
