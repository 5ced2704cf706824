import { readdir, readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { documentedCalls } from '../fixtures/documented-calls.ts';
import { startGateway } from '../fixtures/gateway.ts';
import { startServices } from '../fixtures/services.ts';

const BROWSER = 'packages/account-pages/browser';
const METHODS: Record<string, string> = {
  get: 'GET',
  post: 'POST',
  postForm: 'POST',
  put: 'PUT',
  patch: 'PATCH',
  remove: 'DELETE',
};

/** The pages whose calls are functions in a module `calls.ts`. */
const MODULES = ['chatbots', 'organization', 'profile/security', 'webhooks'] as const;
const fileOf = (module: string) =>
  new URL(`../../packages/account-pages/browser/views/${module}/calls.ts`, import.meta.url);

/** Where the API answers with each interface; `[]` stands for the items of a list. */
type Answers = Record<string, [operation: string, ...path: string[]]>;
const OWN_ROLES: Answers = {
  OwnRoles: ['get /api/v1/users/me/roles'],
  OwnOrganization: ['get /api/v1/users/me/roles', 'organizations', '[]'],
  OwnDepartment: ['get /api/v1/users/me/roles', 'organizations', '[]', 'departments', '[]'],
  Archivable: ['get /api/v1/users/me/roles', 'organizations', '[]', 'departments', '[]'],
  Received: ['get /api/v1/users/me/roles', 'invitations', '[]'],
};
const ANSWERS: Record<(typeof MODULES)[number], Answers> = {
  chatbots: {
    Chatbot: ['get /api/v1/chatbots/{chatbot_id}'],
    Grant: ['get /api/v1/chatbots/{chatbot_id}/access', 'permissions', '[]'],
    OwnAccess: ['get /api/v1/chatbots/{chatbot_id}', 'access'],
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
    Offer: ['get /api/v1/organizations/{organization_id}/offers', 'offers', '[]'],
    Billing: ['get /api/v1/organizations/{organization_id}/departments/{department_id}/billing'],
    Analytics: ['get /api/v1/organizations/{organization_id}/departments/{department_id}/analytics'],
    AuditEvent: ['get /api/v1/organizations/{organization_id}/audit', 'data', '[]'],
    BillingEntry: [
      'get /api/v1/organizations/{organization_id}/departments/{department_id}/billing/history',
      'data',
      '[]',
    ],
    PersonRoles: ['get /api/v1/organizations/{organization_id}/members', 'data', '[]'],
    PersonGrants: ['get /api/v1/organizations/{organization_id}/members/{user_id}'],
    ExportJob: ['get /api/v1/organizations/{organization_id}/exports/{export_id}'],
    ExportFile: ['get /api/v1/organizations/{organization_id}/exports/{export_id}', 'files', '[]'],
    Report: ['get /api/v1/organizations/{organization_id}/reports'],
  },
  'profile/security': {
    Factors: ['get /api/v1/users/me/factors'],
    Passkey: ['get /api/v1/users/me/passkeys', 'passkeys', '[]'],
    Link: ['get /api/v1/users/me/links', 'links', '[]'],
    Enrollment: ['post /api/v1/users/me/factors/totp'],
  },
  webhooks: {
    Webhook: ['get /api/v1/webhooks/{webhook_id}'],
    WebhookWithDetails: ['get /api/v1/webhooks/{webhook_id}'],
    Attempt: ['post /api/v1/webhooks/{webhook_id}/test'],
    Health: ['get /api/v1/webhooks/{webhook_id}/health'],
    Exchange: ['get /api/v1/webhooks/{webhook_id}/deliveries/{delivery_id}', 'attempts', '[]'],
    TestOutcome: ['post /api/v1/webhooks/{webhook_id}/test'],
    Delivery: ['get /api/v1/webhooks/{webhook_id}/deliveries', 'data', '[]'],
    DeliveryWithPayload: ['get /api/v1/webhooks/{webhook_id}/deliveries/{delivery_id}'],
  },
};

/** The lists of values that the pages offer, and the field that has them. */
const VALUES: [module: (typeof MODULES)[number], constant: string, record: string, field: string][] = [
  ['chatbots', 'TYPES', 'Chatbot', 'type'],
  ['chatbots', 'STATUSES', 'Chatbot', 'status'],
  ['organization', 'PLANS', 'Billing', 'subscription_plan'],
  ['organization', 'EXPORT_FORMATS', 'ExportJob', 'format'],
  ['organization', 'REPORT_METRICS', 'Report', 'metric'],
  ['organization', 'REPORT_GROUPS', 'Report', 'group_by'],
  ['webhooks', 'STATUSES', 'Webhook', 'status'],
  ['webhooks', 'EVENTS', 'Delivery', 'event'],
  ['webhooks', 'DELIVERY_STATUSES', 'Delivery', 'status'],
];

interface Schema {
  properties?: Record<string, Schema>;
  items?: Schema;
  enum?: string[];
}
interface Operation {
  responses: Record<string, { content?: Record<string, { schema: Schema }> }>;
}

let services: Awaited<ReturnType<typeof startServices>>;
let gateway: Awaited<ReturnType<typeof startGateway>>;
let problem: Awaited<ReturnType<typeof documentedCalls>>;
let paths: Record<string, Record<string, Operation>>;
beforeAll(async () => {
  services = await startServices();
  gateway = await startGateway({
    env: { LOGIN_SERVICE_URL: services.login, USER_SERVICE_URL: services.user },
    limits: { document: 60_000 },
  });
  problem = await documentedCalls(gateway.url);
  ({ paths } = await (await fetch(`${gateway.url}/openapi.json`)).json());
});
afterAll(async () => {
  await gateway.stop();
  await services.stop();
});

/** The calls in the source of the pages: `get<Profile>('/api/v1/users/me')`. Each `${…}` stands for one segment. */
async function callsInSource() {
  const files = (await readdir(BROWSER, { recursive: true })).filter((file) => file.endsWith('.ts'));
  const calls: { file: string; method: string; url: string }[] = [];
  for (const file of files) {
    const source = await readFile(`${BROWSER}/${file}`, 'utf8');
    const found = source.matchAll(
      /\b(get|post|postForm|put|patch|remove)(?:<[^()]*>)?\(\s*(['`])(\/(?:api|v2|auth)\/.*?)\2/gs,
    );
    for (const [, name = '', , path = ''] of found) {
      const url = path.replace(/\?.*$/s, '').replace(/\$\{[^}]*\}/g, 'id');
      calls.push({ file, method: METHODS[name] ?? name, url });
    }
  }
  return calls;
}

test('every operation that the pages call is in the OpenAPI document', async () => {
  const calls = await callsInSource();
  expect(calls.length).toBeGreaterThan(10);
  expect(calls.map((call) => [call.file, problem(call)]).filter(([, found]) => found)).toEqual([]);
});

test('a call that the document lacks is noticed', async () => {
  const contentType = 'application/json';
  expect(problem({ method: 'GET', url: '/api/v1/users/nobody' })).toBe(
    'GET /api/v1/users/nobody is not documented',
  );
  expect(problem({ method: 'PUT', url: '/api/v1/users/me' })).toBe('PUT /api/v1/users/me is not documented');
  expect(problem({ method: 'GET', url: '/api/v1/chatbots?colour=red' })).toBe(
    'GET /api/v1/chatbots has no parameter colour',
  );
  expect(problem({ method: 'PATCH', url: '/api/v1/users/me', contentType, body: '{"nick":"A"}' })).toBe(
    'PATCH /api/v1/users/me has no field nick',
  );
  expect(
    problem({ method: 'PATCH', url: '/api/v1/users/me', contentType, body: '{"name":"A"}' }),
  ).toBeUndefined();
});

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

/** Checks that the API documents every field of the interfaces in a source. */
function expectDocumented(source: string, answers: Answers): void {
  for (const [name, where] of Object.entries(answers)) {
    const [, body = ''] =
      new RegExp(`interface ${name}(?: extends \\w+)? \\{\\n(.*?)\\n\\}`, 's').exec(source) ?? [];
    const fields = [...body.matchAll(/^ {2}(\w+)\??:/gm)].map(([, field]) => field);
    expect(fields.length, name).toBeGreaterThan(0);
    expect(Object.keys(answerOf(where).properties ?? {}), name).toEqual(expect.arrayContaining(fields));
  }
}

test('the pages read only documented fields of the own roles', async () => {
  expectDocumented(await readFile(`${BROWSER}/own-roles.ts`, 'utf8'), OWN_ROLES);
});

describe.each(MODULES)('the calls of the %s pages', (module) => {
  test('read only fields that the API documents', async () => {
    expectDocumented(await readFile(fileOf(module), 'utf8'), ANSWERS[module]);
  });

  test('have documented parameters and fields, and offer the documented values', async () => {
    const found: unknown[] = [];
    vi.stubGlobal('document', { querySelector: () => null, documentElement: { lang: 'en' } });
    vi.stubGlobal('sessionStorage', { getItem: () => null });
    vi.stubGlobal('addEventListener', () => {});
    vi.stubGlobal('fetch', async (url: string, { method = '', body, headers }: RequestInit) => {
      const contentType = new Headers(headers).get('content-type') ?? '';
      found.push(problem({ method, url, contentType, body: body as string }));
      return Response.json({});
    });
    try {
      const calls: Record<string, unknown> = await import(fileOf(module).href);
      // Files are loaded by their paths, which functions of their own return.
      const functions = Object.entries(calls).filter(
        ([name, each]) => typeof each === 'function' && !name.endsWith('Path'),
      );
      for (const [name, call] of functions) {
        await (call as (...values: unknown[]) => Promise<unknown>)(...argumentsOf(name));
      }
      expect(found).toEqual(functions.map(() => undefined));
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
  const settings = { url: 'x', name: 'x', description: 'x', events: [], chatbot_ids: [], headers: {} };
  const selection = { since: 'x', until: 'x', event: 'user.created', http_status: 404 };
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
    listInvitations: [PLACE, `${LIST}&status=declined&granted_by=x`],
    resendInvitation: [PLACE, 'ID'],
    offerOwnership: ['ID', 'USER', true],
    invite: [PLACE, 'x@example.com', 'Admin'],
    withdrawInvitation: [PLACE, 'ID'],
    getBilling: [PLACE],
    changePlan: [PLACE, 'Free'],
    getAnalytics: [PLACE, 7],
    sendTestEvent: ['ID', 'user.created'],
    listWebhooks: [`${LIST}&status=active`],
    configureWebhook: [{ ...settings, organization_id: 'x', department_id: 'x', secret: 'x' }],
    updateWebhook: ['ID', { ...settings, status: 'paused' }],
    rotateSecret: ['ID', 'x'],
    listDeliveries: ['ID', `${LIST}&status=failed&event=user.created&http_status=none&from=x`],
    replaySince: ['ID', { ...selection, all: true, status: 'failed' }],
    cancelDeliveries: ['ID', selection],
    moveChatbot: ['ID', 'x'],
    archiveDepartment: [PLACE, { chatbots: 'move', move_to: 'x' }],
    restoreDepartment: [PLACE],
    listPeople: ['ID', LIST],
    listBillingHistory: [PLACE, 1],
    listExports: [PLACE, 1],
    createExport: [PLACE, { format: 'csv', data: [] }],
    deleteExport: [{ ...PLACE, export_id: 'ID' }],
    getReport: [PLACE, 'metric=events&group_by=day&from=x&to=x'],
  };
  return given[name] ?? ['ID', 'USER', 'x'];
}
