import type { Scenario, Scenarios } from '../scenario.ts';
import { INTERNAL_API_KEY, request, type World } from '../world.ts';

type Place = Awaited<ReturnType<World['organization']>>;
type Call = Awaited<ReturnType<Scenario['prepare']>>;

/** Prepares a call in a new organization. */
const within =
  (prepare: (place: Place, world: World) => Call | Promise<Call>) =>
  async (world: World): Promise<Call> =>
    prepare(await world.organization(), world);

/** Invites the stranger. @returns the path of the invitation for its person. */
async function invited({ owner, stranger, department }: Place): Promise<string> {
  const { body } = await owner.call('PUT', `${department}/members/${stranger.user_id}`, { role: 'Editor' });
  return `/api/v1/invitations/${body.invitation_id}`;
}

async function invitation({ owner, department }: Place): Promise<string> {
  const json = { email: 'grace@example.com', role: 'Editor' };
  const { body } = await owner.call('POST', `${department}/invitations`, json);
  return `${department}/invitations/${body.invitation_id}`;
}

const ORGANIZATION = 'organizations/{organization_id}';
const DEPARTMENT = `${ORGANIZATION}/departments/{department_id}`;

export const organizations: Scenarios = {
  'POST /api/v1/organizations': {
    async prepare({ person }) {
      const { call } = await person();
      return () => call('POST', '/api/v1/organizations', { name: 'Engines' });
    },
  },
  [`PATCH /api/v1/${ORGANIZATION}`]: {
    prepare: within(
      ({ owner, path }) =>
        () =>
          owner.call('PATCH', path, { name: 'Difference Engines' }),
    ),
  },
  [`PUT /api/v1/${ORGANIZATION}/second-factor`]: {
    prepare: within(
      ({ owner, path }) =>
        () =>
          owner.call('PUT', `${path}/second-factor`, { required: true }),
    ),
  },
  [`DELETE /api/v1/${ORGANIZATION}/members/{user_id}`]: {
    prepare: within(
      ({ owner, member, path }) =>
        () =>
          owner.call('DELETE', `${path}/members/${member.user_id}`),
    ),
    again: [404],
  },
  [`PUT /api/v1/${ORGANIZATION}/owners/{user_id}`]: {
    prepare: within(
      ({ owner, member, path }) =>
        () =>
          owner.call('PUT', `${path}/owners/${member.user_id}`, {}),
    ),
  },
  [`DELETE /api/v1/${ORGANIZATION}/owners/{user_id}`]: {
    prepare: within(async ({ owner, member, path, organization_id }, { db, clock }) => {
      const grant = { granted_by: owner.user_id, granted_at: new Date(clock.now()).toISOString() };
      await db.organizations.updateOne(
        { organization_id },
        { $push: { owners: { user_id: member.user_id, ...grant } } },
      );
      return () => owner.call('DELETE', `${path}/owners/${member.user_id}`);
    }),
    again: [404],
  },
  [`POST /api/v1/${ORGANIZATION}/departments`]: {
    prepare: within(
      ({ owner, path }) =>
        () =>
          owner.call('POST', `${path}/departments`, { name: 'Sales' }),
    ),
    // A name is taken once.
    again: [409],
  },
  [`PATCH /api/v1/${DEPARTMENT}`]: {
    prepare: within(
      ({ owner, department }) =>
        () =>
          owner.call('PATCH', department, { name: 'Sales' }),
    ),
  },
  [`PATCH /api/v1/${DEPARTMENT}/billing`]: {
    prepare: within(
      ({ owner, department }) =>
        () =>
          owner.call('PATCH', `${department}/billing`, { subscription_plan: 'Business' }),
    ),
  },
  'PUT /internal/departments/{department_id}/payment-status': {
    prepare: within(({ department_id }, { user }) => {
      const headers = { authorization: `Bearer ${INTERNAL_API_KEY}` };
      const body = { payment_status: 'failed', subscription_plan: 'Enterprise' };
      return () =>
        request(`${user}/internal/departments/${department_id}/payment-status`, 'PUT', body, headers);
    }),
  },
  [`PUT /api/v1/${DEPARTMENT}/members/{user_id}`]: {
    prepare: within(
      ({ owner, member, department }) =>
        () =>
          owner.call('PUT', `${department}/members/${member.user_id}`, { role: 'Admin' }),
    ),
  },
  [`DELETE /api/v1/${DEPARTMENT}/members/{user_id}`]: {
    prepare: within(
      ({ owner, member, department }) =>
        () =>
          owner.call('DELETE', `${department}/members/${member.user_id}`),
    ),
    again: [404],
  },
  [`POST /api/v1/${DEPARTMENT}/invitations`]: {
    prepare: within(
      ({ owner, department }) =>
        () =>
          owner.call('POST', `${department}/invitations`, { email: 'grace@example.com', role: 'Editor' }),
    ),
    again: [409],
  },
  [`DELETE /api/v1/${DEPARTMENT}/invitations/{invitation_id}`]: {
    prepare: within(async (place) => {
      const path = await invitation(place);
      return () => place.owner.call('DELETE', path);
    }),
    again: [404],
  },
  [`POST /api/v1/${DEPARTMENT}/invitations/{invitation_id}/resend`]: {
    prepare: within(async (place) => {
      const path = await invitation(place);
      return () => place.owner.call('POST', `${path}/resend`, {});
    }),
    // The pause between two mails.
    again: [429],
  },
  'POST /api/v1/invitations/{invitation_id}/accept': {
    prepare: within(async (place) => {
      const path = await invited(place);
      return () => place.stranger.call('POST', `${path}/accept`, {});
    }),
    again: [404],
  },
  'POST /api/v1/invitations/{invitation_id}/decline': {
    prepare: within(async (place) => {
      const path = await invited(place);
      return () => place.stranger.call('POST', `${path}/decline`, {});
    }),
    again: [404],
  },
  [`POST /api/v1/${ORGANIZATION}/archive`]: {
    prepare: within(
      ({ owner, path }) =>
        () =>
          owner.call('POST', `${path}/archive`, {}),
    ),
    again: [409],
  },
  [`POST /api/v1/${ORGANIZATION}/restore`]: {
    prepare: within(async ({ owner, path }) => {
      await owner.call('POST', `${path}/archive`, {});
      return () => owner.call('POST', `${path}/restore`, {});
    }),
    again: [409],
  },
  [`POST /api/v1/${DEPARTMENT}/archive`]: {
    prepare: within(
      ({ owner, department }) =>
        () =>
          owner.call('POST', `${department}/archive`, { chatbots: 'delete' }),
    ),
    again: [409],
  },
  [`POST /api/v1/${DEPARTMENT}/restore`]: {
    prepare: within(async ({ owner, department }) => {
      await owner.call('POST', `${department}/archive`, { chatbots: 'delete' });
      return () => owner.call('POST', `${department}/restore`, {});
    }),
    again: [409],
  },
  [`POST /api/v1/${DEPARTMENT}/exports`]: {
    prepare: within(
      ({ owner, department }) =>
        () =>
          owner.call('POST', `${department}/exports`, { format: 'json', data: ['members'] }),
    ),
    again: [409],
  },
  [`POST /api/v1/${ORGANIZATION}/service-accounts`]: {
    prepare: within(
      ({ owner, path, department_id }) =>
        () =>
          owner.call('POST', `${path}/service-accounts`, {
            name: 'Crawler',
            roles: [{ department_id, role: 'Editor' }],
          }),
    ),
  },
  [`DELETE /api/v1/${ORGANIZATION}/service-accounts/{service_account_id}`]: {
    prepare: within(async ({ owner, path, department_id }) => {
      const json = { name: 'Crawler', roles: [{ department_id, role: 'Editor' }] };
      const { body } = await owner.call('POST', `${path}/service-accounts`, json);
      const account = `${path}/service-accounts/${body.service_account_id}`;
      await owner.call('POST', `${account}/keys`, { name: 'Key', permissions: ['view chatbot'] });
      return () => owner.call('DELETE', account);
    }),
    again: [404],
  },
};

const CHATBOT = { name: 'Helpdesk', type: 'text', avatar_id: 'avatar-2', language: 'en' };

/** @returns the path of a chatbot of the department. */
async function chatbotOf({ owner, department_id }: Place): Promise<string> {
  const { body } = await owner.call('POST', '/api/v1/chatbots/create', { ...CHATBOT, department_id });
  return `/api/v1/chatbots/${body.chatbot_id}`;
}

/** Prepares a call about a chatbot. */
const about = (call: (path: string, place: Place) => ReturnType<Call>) =>
  within(async (place) => {
    const path = await chatbotOf(place);
    return () => call(path, place);
  });

export const chatbots: Scenarios = {
  'POST /api/v1/chatbots/create': {
    prepare: within(
      ({ owner, department_id }) =>
        () =>
          owner.call('POST', '/api/v1/chatbots/create', { ...CHATBOT, department_id }),
    ),
  },
  'PATCH /api/v1/chatbots/{chatbot_id}': {
    prepare: about((path, { owner }) => owner.call('PATCH', path, { name: 'Reception' })),
  },
  'POST /api/v1/chatbots/{chatbot_id}/duplicate': {
    prepare: about((path, { owner }) => owner.call('POST', `${path}/duplicate`, {})),
  },
  'POST /api/v1/chatbots/{chatbot_id}/move': {
    prepare: about((path, { owner, other_id }) =>
      owner.call('POST', `${path}/move`, { department_id: other_id }),
    ),
  },
  'DELETE /api/v1/chatbots/{chatbot_id}': {
    prepare: about((path, { owner }) => owner.call('DELETE', path)),
    again: [404],
  },
  'PUT /api/v1/chatbots/{chatbot_id}/access/{user_id}': {
    prepare: about((path, { owner, member }) =>
      owner.call('PUT', `${path}/access/${member.user_id}`, { role: 'Editor' }),
    ),
  },
  'DELETE /api/v1/chatbots/{chatbot_id}/access/{user_id}': {
    prepare: within(async (place) => {
      const access = `${await chatbotOf(place)}/access/${place.member.user_id}`;
      await place.owner.call('PUT', access, { role: 'Editor' });
      return () => place.owner.call('DELETE', access);
    }),
    again: [404],
  },
};
