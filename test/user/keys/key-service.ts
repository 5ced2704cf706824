import type { KeyPermission } from '@gatehouse/shared/access/key-permissions';
import { startGateway } from '../../fixtures/gateway.ts';
import { send, sendJson } from '../../fixtures/http.ts';
import { startOrganizationService } from '../organizations/organization-service.ts';

export const OWN_KEYS = '/api/v1/users/me/keys';

/** Starts the login and user service behind a gateway, with helpers to make keys and to call with them. */
export async function startKeyService({ env = {} }: { env?: NodeJS.ProcessEnv } = {}) {
  const services = await startOrganizationService({ env });
  const gateway = await startGateway({
    clock: services.clock,
    database: services.db,
    env: {
      LOGIN_SERVICE_URL: services.login,
      USER_SERVICE_URL: services.url,
      TRUST_PROXY: 'loopback',
      RATE_LIMIT: 'off',
      PRINCIPAL_CACHE_MS: '0',
      ...(env.LOG_LEVEL && { LOG_LEVEL: env.LOG_LEVEL }),
    },
  });
  type Person = Awaited<ReturnType<typeof services.newPerson>>;

  /** Makes a key. @returns its id, the key itself and the record in the answer. */
  async function newKey(person: Person, fields: object = {}, path = OWN_KEYS) {
    const body = { name: 'Robot', permissions: ['view profile'] satisfies KeyPermission[], ...fields };
    const answer = await person.ask('POST', path, body);
    if (answer.status !== 201) throw new Error(JSON.stringify(answer.body));
    const { key, ...record } = answer.body;
    return { key: key as string, key_id: record.key_id as string, record };
  }

  const callTo =
    (base: string) =>
    (key: string, method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
      const sent = { authorization: `Bearer ${key}`, 'x-forwarded-for': '192.0.2.7', ...headers };
      return body === undefined
        ? send(`${base}${path}`, { method, headers: sent })
        : sendJson(method, `${base}${path}`, body, sent);
    };

  /** A service account with these roles, and a key of it. */
  async function newServiceAccount(
    manager: Person,
    { organization_id, department_id }: { organization_id: string; department_id: string },
    { role = 'Editor', permissions = ['view chatbot'] }: { role?: string; permissions?: string[] } = {},
  ) {
    const path = `/api/v1/organizations/${organization_id}/service-accounts`;
    const answer = await manager.ask('POST', path, { name: 'Crawler', roles: [{ department_id, role }] });
    if (answer.status !== 201) throw new Error(JSON.stringify(answer.body));
    const { service_account_id } = answer.body as { service_account_id: string };
    const own = `${path}/${service_account_id}`;
    const { key, key_id } = await newKey(manager, { permissions }, `${own}/keys`);
    return { service_account_id, path: own, key, key_id };
  }

  return {
    ...services,
    gateway: gateway.url,
    gatewayLog: gateway.logged,
    newKey,
    newServiceAccount,
    /** Calls the user service. */
    call: callTo(services.url),
    /** Calls through the gateway. */
    callGateway: callTo(gateway.url),
    async stop() {
      await gateway.stop();
      await services.stop();
    },
  };
}

export type KeyService = Awaited<ReturnType<typeof startKeyService>>;
