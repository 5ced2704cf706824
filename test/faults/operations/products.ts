import { conversation } from '../../webhooks/event-samples.ts';
import type { Scenarios } from '../scenario.ts';
import { INTERNAL_API_KEY, request, type World } from '../world.ts';

const WEBHOOKS = '/api/v1/webhooks';
/** Nothing listens there. */
const WEBHOOK = {
  url: 'http://127.0.0.1:9',
  events: ['conversation.started'],
  secret: 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD',
};

async function withWebhook({ person }: World) {
  const owner = await person();
  const { body } = await owner.call('POST', `${WEBHOOKS}/configure`, WEBHOOK);
  return { ...owner, path: `${WEBHOOKS}/${body.webhook_id}` };
}

export const webhooks: Scenarios = {
  'POST /api/v1/webhooks/configure': {
    async prepare({ person }) {
      const { call } = await person();
      return () => call('POST', `${WEBHOOKS}/configure`, WEBHOOK);
    },
  },
  'PATCH /api/v1/webhooks/{webhook_id}': {
    async prepare(world) {
      const { call, path } = await withWebhook(world);
      return () => call('PATCH', path, { status: 'paused' });
    },
  },
  'POST /api/v1/webhooks/{webhook_id}/rotate-secret': {
    async prepare(world) {
      const { call, path } = await withWebhook(world);
      return () => call('POST', `${path}/rotate-secret`, { secret: 'another secret, 32 bytes and more' });
    },
  },
  'DELETE /api/v1/webhooks/{webhook_id}': {
    async prepare(world) {
      const { call, path } = await withWebhook(world);
      return () => call('DELETE', path);
    },
    again: [404],
  },
  'POST /internal/events': {
    async prepare(world) {
      const { user_id } = await withWebhook(world);
      const headers = { authorization: `Bearer ${INTERNAL_API_KEY}` };
      const events = [conversation(user_id), conversation(user_id)];
      return () => request(`${world.user}/internal/events`, 'POST', events, headers);
    },
  },
};

const SSO = '/api/v1/sso';
const CONNECTION = {
  protocol: 'ldap',
  slug: 'corp',
  name: 'Corp',
  enabled: true,
  ldap: { url: 'ldap://127.0.0.1:9', base_dn: 'dc=corp,dc=test', user_filter: '(uid={username})' },
};

/** An organization with a verified domain and a connection. */
async function connected(world: World) {
  const place = await world.organization();
  const { owner, organization_id } = place;
  const { body: domain } = await owner.call('POST', `${SSO}/domains`, {
    organization_id,
    domain: 'corp.test',
  });
  const domainPath = `${SSO}/domains/${domain.domain_id}`;
  await owner.call('POST', `${domainPath}/verify`, {});
  const { body } = await owner.call('POST', `${SSO}/connections`, { organization_id, ...CONNECTION });
  return { ...place, domainPath, path: `${SSO}/connections/${body.connection_id}` };
}

export const singleSignOn: Scenarios = {
  'POST /api/v1/sso/domains': {
    async prepare(world) {
      const { owner, organization_id } = await world.organization();
      return () => owner.call('POST', `${SSO}/domains`, { organization_id, domain: 'corp.test' });
    },
    again: [409],
  },
  'POST /api/v1/sso/domains/{domain_id}/verify': {
    async prepare(world) {
      const { owner, organization_id } = await world.organization();
      const json = { organization_id, domain: 'corp.test' };
      const { body } = await owner.call('POST', `${SSO}/domains`, json);
      return () => owner.call('POST', `${SSO}/domains/${body.domain_id}/verify`, {});
    },
  },
  'PATCH /api/v1/sso/domains/{domain_id}': {
    async prepare(world) {
      const { owner, domainPath } = await connected(world);
      return () => owner.call('PATCH', domainPath, { sso_required: true });
    },
  },
  'POST /api/v1/sso/connections': {
    async prepare(world) {
      const { owner, organization_id } = await world.organization();
      await owner.call('POST', `${SSO}/domains`, { organization_id, domain: 'corp.test' });
      return () => owner.call('POST', `${SSO}/connections`, { organization_id, ...CONNECTION });
    },
    again: [409],
  },
  'PATCH /api/v1/sso/connections/{connection_id}': {
    async prepare(world) {
      const { owner, path } = await connected(world);
      return () => owner.call('PATCH', path, { enabled: false });
    },
  },
  'POST /api/v1/sso/connections/{connection_id}/scim-token': {
    async prepare(world) {
      const { owner, path } = await connected(world);
      return () => owner.call('POST', `${path}/scim-token`, {});
    },
  },
  'DELETE /api/v1/sso/connections/{connection_id}/scim-token': {
    async prepare(world) {
      const { owner, path } = await connected(world);
      await owner.call('POST', `${path}/scim-token`, {});
      return () => owner.call('DELETE', `${path}/scim-token`);
    },
    again: [404],
  },
  'DELETE /api/v1/sso/connections/{connection_id}': {
    async prepare(world) {
      const { owner, path } = await connected(world);
      return () => owner.call('DELETE', path);
    },
    again: [404],
  },
};

const USER = 'urn:ietf:params:scim:schemas:core:2.0:User';
const GROUP = 'urn:ietf:params:scim:schemas:core:2.0:Group';
const PATCH = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';
const GRACE = {
  schemas: [USER],
  userName: 'grace@corp.test',
  externalId: 'grace',
  name: { givenName: 'Grace', familyName: 'Hopper' },
  emails: [{ primary: true, value: 'grace@corp.test', type: 'work' }],
  active: true,
};

/** A client of a connection. */
async function scimClient(world: World) {
  const { owner, path } = await connected(world);
  const { body } = await owner.call('POST', `${path}/scim-token`, {});
  const headers = { authorization: `Bearer ${body.token}`, 'content-type': 'application/scim+json' };
  const call = (method: string, resource: string, json?: object) =>
    request(`${world.user}/scim/v2${resource}`, method, json, headers);
  const create = async (resource: string, json: object) =>
    `${resource}/${JSON.parse((await call('POST', resource, json)).body).id}`;
  return { call, create };
}
const patch = (...Operations: object[]) => ({ schemas: [PATCH], Operations });
const group = { schemas: [GROUP], displayName: 'Sales' };

export const scim: Scenarios = {
  'POST /scim/v2/Users': {
    async prepare(world) {
      const { call } = await scimClient(world);
      return () => call('POST', '/Users', GRACE);
    },
    again: [409],
  },
  'PUT /scim/v2/Users/{id}': {
    async prepare(world) {
      const { call, create } = await scimClient(world);
      const grace = await create('/Users', GRACE);
      return () => call('PUT', grace, { ...GRACE, name: { givenName: 'Amazing', familyName: 'Grace' } });
    },
  },
  'PATCH /scim/v2/Users/{id}': {
    async prepare(world) {
      const { call, create } = await scimClient(world);
      const grace = await create('/Users', GRACE);
      return () => call('PATCH', grace, patch({ op: 'replace', path: 'active', value: false }));
    },
  },
  'DELETE /scim/v2/Users/{id}': {
    async prepare(world) {
      const { call, create } = await scimClient(world);
      const grace = await create('/Users', GRACE);
      return () => call('DELETE', grace);
    },
    again: [404],
  },
  'POST /scim/v2/Groups': {
    async prepare(world) {
      const { call } = await scimClient(world);
      return () => call('POST', '/Groups', group);
    },
    again: [409],
  },
  'PATCH /scim/v2/Groups/{id}': {
    async prepare(world) {
      const { call, create } = await scimClient(world);
      const grace = await create('/Users', GRACE);
      const sales = await create('/Groups', group);
      const value = [{ value: grace.replace('/Users/', '') }];
      return () => call('PATCH', sales, patch({ op: 'add', path: 'members', value }));
    },
  },
  'DELETE /scim/v2/Groups/{id}': {
    async prepare(world) {
      const { call, create } = await scimClient(world);
      const sales = await create('/Groups', group);
      return () => call('DELETE', sales);
    },
    again: [404],
  },
};

const reason = 'a ticket';

/** Prepares a call of an operator about a person. */
const about =
  (method: string, path: string, fields: object = {}, person: object = {}) =>
  async (world: World) => {
    const [operator, { user_id }] = [await world.person(), await world.person(person)];
    await world.db.operators.insertOne({
      _id: operator.user_id,
      level: 'admin',
      added_at: new Date(world.clock.now()),
      added_by: 'command line',
    });
    return () => operator.call(method, `/api/v1/admin/people/${user_id}/${path}`, { reason, ...fields });
  };

const PERSON = '/api/v1/admin/people/{person_id}';
export const admin: Scenarios = {
  [`POST ${PERSON}/disable`]: { prepare: about('POST', 'disable'), again: [409] },
  [`POST ${PERSON}/enable`]: {
    prepare: about('POST', 'enable', {}, { account_status: 'disabled' }),
    again: [409],
  },
  [`POST ${PERSON}/end-sessions`]: { prepare: about('POST', 'end-sessions') },
  [`POST ${PERSON}/delete`]: { prepare: about('POST', 'delete'), again: [409] },
  [`PUT ${PERSON}/plan`]: { prepare: about('PUT', 'plan', { plan: 'Business' }) },
  [`POST ${PERSON}/support-sessions`]: {
    prepare: about('POST', 'support-sessions', { mode: 'read', minutes: 30 }),
  },
};
