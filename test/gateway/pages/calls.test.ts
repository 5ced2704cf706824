import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { startGateway } from '../../fixtures/gateway.ts';
import { startServices } from '../../fixtures/services.ts';

/** The modules of the browser that call the API for chatbots, organizations and webhooks. */
const MODULES = ['chatbots', 'organization', 'webhooks'] as const;
const fileOf = (module: string) =>
  new URL(`../../../services/gateway/pages/browser/views/${module}/calls.ts`, import.meta.url);

/** Where the API answers with each interface; `[]` stands for the items of a list. */
const ANSWERS: Record<(typeof MODULES)[number], Record<string, [operation: string, ...path: string[]]>> = {
  chatbots: {
    Chatbot: ['get /api/v1/chatbots/{chatbot_id}'],
    Grant: ['get /api/v1/chatbots/{chatbot_id}/access', 'permissions', '[]'],
    OwnAccess: ['get /api/v1/chatbots/{chatbot_id}/access/me'],
  },
  organization: {
    Organization: ['get /api/v1/organizations', 'data', '[]'],
    Department: ['get /api/v1/organizations/{organization_id}/departments', 'data', '[]'],
    Owner: ['get /api/v1/organizations/{organization_id}/owners', 'owners', '[]'],
    Member: ['get /api/v1/organizations/{organization_id}/departments/{department_id}/members', 'data', '[]'],
    Invitation: [
      'get /api/v1/organizations/{organization_id}/departments/{department_id}/invitations',
      'data',
      '[]',
    ],
    Billing: ['get /api/v1/organizations/{organization_id}/departments/{department_id}/billing'],
    Analytics: ['get /api/v1/organizations/{organization_id}/departments/{department_id}/analytics'],
    AuditEvent: ['get /api/v1/organizations/{organization_id}/audit', 'data', '[]'],
  },
  webhooks: {
    Webhook: ['get /api/v1/webhooks/{webhook_id}'],
    Attempt: ['post /api/v1/webhooks/{webhook_id}/test'],
    TestOutcome: ['post /api/v1/webhooks/{webhook_id}/test'],
    Delivery: ['get /api/v1/webhooks/{webhook_id}/deliveries', 'data', '[]'],
  },
};

/** The lists of values that the pages offer, and the field that has them. */
const VALUES: [module: (typeof MODULES)[number], constant: string, record: string, field: string][] = [
  ['chatbots', 'TYPES', 'Chatbot', 'type'],
  ['chatbots', 'STATUSES', 'Chatbot', 'status'],
  ['organization', 'PLANS', 'Billing', 'subscription_plan'],
  ['webhooks', 'STATUSES', 'Webhook', 'status'],
  ['webhooks', 'EVENTS', 'Delivery', 'event'],
  ['webhooks', 'DELIVERY_STATUSES', 'Delivery', 'status'],
];

interface Schema {
  properties?: Record<string, Schema>;
  items?: Schema;
  enum?: string[];
  $ref?: string;
}
interface Operation {
  parameters?: { name: string; in: string }[];
  requestBody?: { content: Record<string, { schema: Schema & { anyOf?: Schema[] } }> };
  responses: Record<string, { content?: Record<string, { schema: Schema }> }>;
}
let paths: Record<string, Record<string, Operation>>;
let stop: () => Promise<void>;
beforeAll(async () => {
  const services = await startServices();
  const env = { LOGIN_SERVICE_URL: services.login, USER_SERVICE_URL: services.user };
  const gateway = await startGateway({ env });
  stop = async () => {
    await gateway.stop();
    await services.stop();
  };
  ({ paths } = await (await fetch(`${gateway.url}/openapi.json`)).json());
});
afterAll(() => stop());

/** The schema of what an operation answers, or of a part of it. */
function answerOf([operation, ...steps]: readonly [string, ...string[]]): Schema {
  const [method = '', path = ''] = operation.split(' ');
  const responses = paths[path]?.[method]?.responses ?? {};
  const success = responses[200] ?? responses[201];
  let schema = success?.content?.['application/json']?.schema;
  for (const step of steps) schema = step === '[]' ? schema?.items : schema?.properties?.[step];
  if (!schema) throw new Error(`no ${steps.join('.')} in ${operation}`);
  return schema;
}

describe.each(MODULES)('the calls of the %s pages', (module) => {
  test('read only fields that the API documents', async () => {
    const source = await readFile(fileOf(module), 'utf8');
    for (const [name, where] of Object.entries(ANSWERS[module])) {
      const [, body = ''] =
        new RegExp(`interface ${name}(?: extends \\w+)? \\{\\n(.*?)\\n\\}`, 's').exec(source) ?? [];
      const fields = [...body.matchAll(/^ {2}(\w+)\??:/gm)].map(([, field]) => field);
      expect(fields.length, name).toBeGreaterThan(0);
      expect(Object.keys(answerOf(where).properties ?? {}), name).toEqual(expect.arrayContaining(fields));
    }
  });

  test('go to operations that the API documents, with documented parameters and fields', async () => {
    const called: { method: string; url: URL; body: Record<string, unknown> }[] = [];
    const answer = { ok: true, status: 200, headers: new Headers(), json: async () => ({}) };
    vi.stubGlobal('document', { querySelector: () => null, documentElement: { lang: 'en' } });
    vi.stubGlobal('sessionStorage', { getItem: () => null });
    vi.stubGlobal('addEventListener', () => {});
    vi.stubGlobal(
      'fetch',
      async (path: string, { method = '', body = '{}' }: { method?: string; body?: string }) => {
        called.push({
          method: method.toLowerCase(),
          url: new URL(path, 'http://pages'),
          body: JSON.parse(body),
        });
        return answer;
      },
    );
    try {
      const calls: Record<string, unknown> = await import(fileOf(module).href);
      const functions = Object.entries(calls).filter(([, each]) => typeof each === 'function');
      for (const [name, call] of functions) {
        called.length = 0;
        await (call as (...values: unknown[]) => Promise<unknown>)(...argumentsOf(name));
        const [{ method, url, body } = { method: '', url: new URL('http://none'), body: {} }] = called;
        const operation = Object.entries(paths).find(
          ([path, methods]) =>
            methods[method] && new RegExp(`^${path.replace(/\{\w+\}/g, '[A-Z]+')}$`).test(url.pathname),
        )?.[1][method];
        expect(operation, `${name}: ${method} ${url.pathname}`).toBeDefined();
        const parameters = operation?.parameters
          ?.filter((each) => each.in === 'query')
          .map((each) => each.name);
        expect(parameters ?? [], name).toEqual(expect.arrayContaining([...url.searchParams.keys()]));
        const given = operation?.requestBody?.content['application/json']?.schema;
        const fields = [given, ...(given?.anyOf ?? [])].flatMap((each) =>
          Object.keys(each?.properties ?? {}),
        );
        expect(fields, name).toEqual(expect.arrayContaining(Object.keys(body)));
      }
      for (const [, constant, record, field] of VALUES.filter(([each]) => each === module)) {
        const documented = answerOf(ANSWERS[module][record] as [string]).properties?.[field]?.enum;
        expect(calls[constant], constant).toEqual(documented);
      }
    } finally {
      vi.unstubAllGlobals();
    }
  });
});

const PLACE = { organization_id: 'ORGANIZATION', department_id: 'DEPARTMENT' };
const LIST = 'page=1&sort_by=name&order=asc&search=x';

/** Arguments of a call: ids in capitals, and every field that its page can send. */
function argumentsOf(name: string): unknown[] {
  const chatbot = { name: 'x', type: 'text', avatar_id: 'x', language: 'en' };
  const given: Record<string, unknown[]> = {
    listChatbots: [`${LIST}&type=text&status=active`],
    createChatbot: [{ ...chatbot, department_id: 'x' }],
    updateChatbot: ['ID', { ...chatbot, status: 'paused' }],
    createOrganization: ['x'],
    listAudit: ['ID', 'page=1&action=owner.add'],
    listDepartments: ['ID', LIST],
    getDepartment: [PLACE],
    renameDepartment: [PLACE, 'x'],
    listMembers: [PLACE, `${LIST}&role=Admin`],
    getMember: [PLACE, 'USER'],
    setMember: [PLACE, 'USER', 'Admin'],
    removeMember: [PLACE, 'USER'],
    listInvitations: [PLACE, LIST],
    invite: [PLACE, 'x@example.com', 'Admin'],
    withdrawInvitation: [PLACE, 'ID'],
    getBilling: [PLACE],
    changePlan: [PLACE, 'Free'],
    getAnalytics: [PLACE, 7],
    listWebhooks: [`${LIST}&status=active`],
    configureWebhook: [{ url: 'x', events: [], secret: 'x' }],
    updateWebhook: ['ID', { url: 'x', events: [], status: 'paused' }],
    rotateSecret: ['ID', 'x'],
    listDeliveries: ['ID', `${LIST}&status=failed`],
    replaySince: ['ID', '2026-01-15T00:00:00Z', true],
  };
  return given[name] ?? ['ID', 'USER', 'x'];
}
