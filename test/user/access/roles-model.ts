import { may, type SpecifiedRole as Role, SPECIFIED_PERMISSIONS } from '../../fixtures/permissions.ts';

/** The rules of roles on chatbots once more, as plainly as can be, to hold the services against. */

/** A chatbot; who is not `owner` is in `others` with what he was given, in the order of giving. */
interface ModelChatbot {
  department: number | null;
  owner: number;
  others: [user: number, role: Role][];
  gone?: boolean;
}

/** Users, organizations, departments and chatbots are numbers. */
export interface State {
  /** The Owners of each organization. */
  owners: number[][];
  /** The organization of each department. */
  departments: number[];
  /** The roles in each department, by user. */
  members: Partial<Record<number, Role>>[];
  chatbots: ModelChatbot[];
}

/** Of the users these are active; the next is disabled, and who comes after it does not exist. */
export const ACTIVE = 5;
export const USERS = ACTIVE + 2;

export type Call =
  | { call: 'create'; by: number; department: number | null }
  | { call: 'list'; by: number }
  | { call: 'view' | 'edit' | 'delete' | 'duplicate' | 'me'; by: number; chatbot: number }
  | { call: 'grant'; by: number; chatbot: number; to: number; role: Role }
  | { call: 'revoke'; by: number; chatbot: number; to: number }
  | { call: 'setMember'; by: number; department: number; to: number; role: Role }
  | { call: 'removeMember'; by: number; department: number; to: number }
  | { call: 'addOwner' | 'removeOwner'; by: number; organization: number; to: number };

function roleIn({ owners, departments, members }: State, user: number, department: number): Role | undefined {
  if (owners[departments[department] as number]?.includes(user)) return 'Owner';
  return members[department]?.[user];
}

const given = ({ owner, others }: ModelChatbot, user: number): Role | undefined =>
  owner === user ? 'Owner' : others.find(([each]) => each === user)?.[1];

const inherited = (state: State, user: number, { department }: ModelChatbot) =>
  department === null ? undefined : roleIn(state, user, department);

export function roleOn(state: State, user: number, chatbot: ModelChatbot): Role | undefined {
  const { department } = chatbot;
  if (chatbot.gone) return undefined;
  if (department !== null) {
    if (state.owners[state.departments[department] as number]?.includes(user)) return 'Owner';
    if (roleIn(state, user, department) === undefined) return undefined;
  }
  return given(chatbot, user) ?? inherited(state, user, chatbot);
}

const isAbove = (role: Role | undefined, own: Role) =>
  SPECIFIED_PERMISSIONS.some((permission) => may(role, permission) && !may(own, permission));

/** Who goes loses what he was given and what he owns: to the first other Owner, or to one of the organization. */
const forget = ({ chatbots, owners, departments }: State, user: number, department: number) => {
  const ofOrganization = owners[departments[department] as number] as number[];
  if (ofOrganization.includes(user)) return;
  for (const chatbot of chatbots.filter((each) => each.department === department)) {
    chatbot.others = chatbot.others.filter(([each]) => each !== user);
    if (chatbot.owner !== user) continue;
    const heir = chatbot.others.find(([, role]) => role === 'Owner')?.[0] ?? ofOrganization[0];
    chatbot.owner = heir as number;
    chatbot.others = chatbot.others.filter(([each]) => each !== heir);
  }
};

/** Changes the state as a call does. @returns the status of its answer. */
export function perform(state: State, asked: Call): number {
  const { by } = asked;
  switch (asked.call) {
    case 'list':
      return 200;
    case 'create': {
      const { department } = asked;
      if (department !== null) {
        const role = roleIn(state, by, department);
        if (!role) return 404;
        if (!may(role, 'create chatbot')) return 403;
      }
      state.chatbots.push({ department, owner: by, others: [] });
      return 201;
    }
    case 'setMember':
    case 'removeMember':
      return changeMember(state, asked);
    case 'addOwner':
    case 'removeOwner':
      return changeOwner(state, asked);
  }
  const chatbot = state.chatbots[asked.chatbot] as ModelChatbot;
  const own = roleOn(state, by, chatbot);
  if (asked.call === 'me') return own ? 200 : 404;
  if (asked.call === 'revoke' && own && asked.to === by) return leave(state, by, chatbot, own);
  if (!own || !may(own, 'view chatbot')) return 404;
  switch (asked.call) {
    case 'view':
      return 200;
    case 'edit':
      return may(own, 'edit chatbot') ? 200 : 403;
    case 'delete':
      if (!may(own, 'delete chatbot')) return 403;
      chatbot.gone = true;
      return 200;
    case 'duplicate':
      if (!may(own, 'duplicate chatbot')) return 403;
      if (chatbot.department !== null && !may(roleIn(state, by, chatbot.department), 'create chatbot'))
        return 403;
      state.chatbots.push({ department: chatbot.department, owner: by, others: [] });
      return 201;
    case 'grant': {
      const { to, role } = asked;
      const before = given(chatbot, to) ?? inherited(state, to, chatbot);
      if (!may(own, 'assign roles') || isAbove(role, own) || isAbove(before, own)) return 403;
      const isStranger = chatbot.department !== null && !inherited(state, to, chatbot);
      if (!given(chatbot, to) && (to >= ACTIVE || isStranger)) return 404;
      return change(chatbot, to, role);
    }
    case 'revoke': {
      const { to } = asked;
      const after = inherited(state, to, chatbot);
      const before = given(chatbot, to) ?? after;
      if (!may(own, 'remove users') || isAbove(before, own) || isAbove(after, own)) return 403;
      return given(chatbot, to) ? change(chatbot, to) : 404;
    }
  }
}

function leave(state: State, user: number, chatbot: ModelChatbot, own: Role): number {
  if (!given(chatbot, user)) return 404;
  return isAbove(inherited(state, user, chatbot), own) ? 403 : change(chatbot, user);
}

/** Sets or takes an entry; the last Owner stays, and of the others the first follows. */
function change(chatbot: ModelChatbot, user: number, role?: Role): number {
  if (user === chatbot.owner) {
    if (role === 'Owner') return 200;
    const heir = chatbot.others.find(([, each]) => each === 'Owner');
    if (!heir) return 403;
    [chatbot.owner] = heir;
    chatbot.others = chatbot.others.filter((each) => each !== heir);
  }
  chatbot.others = chatbot.others.filter(([each]) => each !== user);
  if (role) chatbot.others.push([user, role]);
  return 200;
}

function changeMember(state: State, asked: Call & { call: 'setMember' | 'removeMember' }): number {
  const { by, to, department } = asked;
  const members = state.members[department] as Partial<Record<number, Role>>;
  const own = roleIn(state, by, department);
  if (!own) return 404;
  const current = members[to];
  if (asked.call === 'removeMember') {
    if (to !== by && !may(own, 'remove users')) return 403;
    if (!current) return 404;
    if (to !== by && isAbove(current, own)) return 403;
    delete members[to];
    forget(state, to, department);
    return 200;
  }
  if (!may(own, 'assign roles') || isAbove(asked.role, own)) return 403;
  if (to >= ACTIVE) return 404;
  if (state.owners[state.departments[department] as number]?.includes(to)) return 403;
  if (isAbove(current, own)) return 403;
  if (!current && to === by) return 403;
  if (!current) forget(state, to, department);
  members[to] = asked.role;
  return 200;
}

function changeOwner(
  state: State,
  { call, by, to, organization }: Call & { call: 'addOwner' | 'removeOwner' },
): number {
  const owners = state.owners[organization] as number[];
  const isIn = state.members.some(
    (members, department) => state.departments[department] === organization && members[by],
  );
  if (!owners.includes(by)) return isIn ? 403 : 404;
  if (call === 'addOwner') {
    if (to >= ACTIVE) return 404;
    if (!owners.includes(to)) owners.push(to);
    return 200;
  }
  if (!owners.includes(to)) return 404;
  if (owners.length === 1) return 403;
  state.owners[organization] = owners.filter((each) => each !== to);
  for (const [department, members] of state.members.entries())
    if (state.departments[department] === organization && !members[to]) forget(state, to, department);
  return 200;
}
