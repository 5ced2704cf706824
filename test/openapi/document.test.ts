import { createConfig, lintFromString } from '@redocly/openapi-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { EVENTS } from '../../packages/webhooks/events.ts';
import { startGateway } from '../fixtures/gateway.ts';
import { send } from '../fixtures/http.ts';
import { startServices } from '../fixtures/services.ts';

/** Recommended Redocly rules that do not apply here, each with its reason. */
const SWITCHED_OFF = {
  // /health* take no input. The test below checks every other operation.
  'operation-4xx-response': 'off',
} as const;

/** Operations that need no bearer (CONTRACT.md §Bearer). */
const PUBLIC = [
  'post /v2/login',
  'post /v2/login/factor',
  'post /v2/login/passkey',
  'post /v2/login/passkey/options',
  'post /v2/signup',
  'post /v2/verify-otp',
  'post /v2/forgot-password',
  'post /v2/reset-password',
  'post /api/v1/auth/login',
  'get /.well-known/webauthn',
  'get /api/v1/pictures/{picture_id}',
  'post /api/v1/auth/login/factor',
  'post /api/v1/auth/login/passkey',
  'post /api/v1/auth/login/passkey/options',
  'post /api/v1/auth/ldap',
  'post /api/v1/auth/ldap/factor',
  'post /api/v1/users/email/undo',
  'post /v2/login/code',
  'post /v2/login/code/verify',
  'post /api/v1/auth/login/code',
  'post /api/v1/auth/login/code/verify',
  'get /api/v1/auth/ways',
  'get /api/v1/auth/sso/discover',
  'post /api/v1/auth/sso/exchange',
  'get /health',
  'get /health/ready',
  'get /health/live',
];

interface Operation {
  operationId?: string;
  summary?: string;
  description?: string;
  security?: object[];
  parameters?: { name: string; in: string }[];
  requestBody?: { content: Record<string, Media> };
  responses: Record<string, { description?: string; content?: Record<string, Media> }>;
}
interface Media {
  schema?: Record<string, unknown>;
  example?: unknown;
  examples?: Record<string, { value: unknown }>;
}

let services: Awaited<ReturnType<typeof startServices>>;
let gateway: Awaited<ReturnType<typeof startGateway>>;
const documents: Record<string, string> = {};
let operations: [name: string, operation: Operation][] = [];
beforeAll(async () => {
  const env = { LOGIN_BY_CODE: 'on' };
  const legacy = { LEGACY_LOGIN_URL: 'https://old.example.com', LEGACY_LOGIN_TOKEN: 'not used here' };
  services = await startServices({ env: { ...env, ...legacy } });
  gateway = await startGateway({
    env: { ...env, LOGIN_SERVICE_URL: services.login, USER_SERVICE_URL: services.user },
    limits: { document: 60_000 },
  });
  for (const [name, url] of Object.entries({
    gateway: gateway.url,
    login: services.login,
    user: services.user,
  })) {
    documents[name] = await (await fetch(`${url}/openapi.json`)).text();
  }
  const { paths } = JSON.parse(documents.gateway as string) as {
    paths: Record<string, Record<string, Operation>>;
  };
  operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(
      ([method, operation]) => [`${method} ${path}`, operation] as [string, Operation],
    ),
  );
});
afterAll(async () => {
  await gateway.stop();
  await services.stop();
});

const examplesOf = ({ example, examples = {} }: Media) => [
  ...(example === undefined ? [] : [example]),
  ...Object.values(examples).map(({ value }) => value),
];

/** Every object below `value` that has both a schema and examples. */
function* exampled(value: unknown): Generator<Media> {
  if (typeof value !== 'object' || value === null) return;
  if ('schema' in value && ('example' in value || 'examples' in value)) yield value as Media;
  for (const each of Object.values(value)) yield* exampled(each);
}
/** Removes the examples that another document has with the same schema: checking one takes milliseconds. */
function withoutExamplesOf(other: string, source: string): string {
  const checked = new Set(Array.from(exampled(JSON.parse(other)), (media) => JSON.stringify(media)));
  const document = JSON.parse(source);
  for (const media of [...exampled(document)]) {
    if (!checked.has(JSON.stringify(media))) continue;
    delete media.example;
    delete media.examples;
  }
  return JSON.stringify(document);
}

test.each(['gateway', 'login', 'user'])(
  'the document of the %s service passes the recommended rules of Redocly',
  async (name) => {
    const whole = documents[name] as string;
    expect(JSON.parse(whole).openapi).toBe('3.1.0');
    // Schemas stand where they are used, so equal examples have equal schemas.
    expect(whole).not.toContain('"$ref"');
    const source = name === 'gateway' ? whole : withoutExamplesOf(documents.gateway as string, whole);
    const config = await createConfig({ extends: ['recommended'], rules: SWITCHED_OFF });
    const problems = await lintFromString({ source, absoluteRef: 'openapi.json', config });
    expect(
      problems.map(({ severity, ruleId, message, location }) => ({
        severity,
        ruleId,
        message,
        at: location[0]?.pointer,
      })),
    ).toEqual([]);
  },
);

/** Operations that identity providers and browsers call. They have no bearer, or in SCIM one of their own. */
const isForProviders = (name: string) => / \/(?:saml|oauth|social|scim\/v2)\//.test(name);
const isScim = (name: string) => name.includes(' /scim/v2/');

/** Returns whether an operation with a bearer supports Idempotency-Key (CONTRACT.md §Idempotency). */
const takesKey = (name: string) =>
  !name.startsWith('get ') &&
  !isScim(name) &&
  !/^post .*\/(?:refresh|logout|confirm|email\/verify|me\/links|factors\/totp|passkeys?\/options|recovery-codes|rotate-secret|scim-token|support-sessions|me\/keys|\{service_account_id\}\/keys|rotate)$/.test(
    name,
  );

/** Failures whose `details` say what the client can do, instead of a text. */
const HAS_DETAILS = new Set([
  'SECOND_FACTOR_REQUIRED',
  'CONFIRMATION_REQUIRED',
  'ENROLLMENT_REQUIRED',
  'OPERATOR_FACTOR_REQUIRED',
  'LAST_OWNER',
]);

describe('every operation at the gateway', () => {
  test('has a summary, a description and a unique operationId', () => {
    for (const [name, { summary, description }] of operations) {
      expect({ name, summary, description }).toEqual({
        name,
        summary: expect.stringMatching(/^[A-Z].{3,}[^.]$/),
        description: expect.stringMatching(/\.$/),
      });
    }
    const ids = operations.map(([, { operationId }]) => operationId);
    expect(new Set(ids).size).toBe(operations.length);
    for (const id of ids) expect(id).toMatch(/^[a-z][A-Za-z0-9]+$/);
  });

  test('needs a bearer unless it is listed as public', () => {
    const open = operations.filter(([, { security }]) => security?.length === 0).map(([name]) => name);
    expect(open.filter((name) => !isForProviders(name)).toSorted()).toEqual(PUBLIC.toSorted());
    expect(open.filter(isScim)).toEqual([]);
    for (const [name, { security }] of operations) {
      if (isForProviders(name)) continue;
      if (!PUBLIC.includes(name))
        expect({ name, security }).toEqual({ name, security: [{ bearer: [] }, { cookie: [] }] });
    }
  });

  test('returns 401 without its bearer', async () => {
    for (const [name, { security }] of operations) {
      if (!security?.length) continue;
      const [method = '', path = ''] = name.split(' ');
      const { status } = await send(`${gateway.url}${path.replaceAll(/\{.*?\}/g, 'x')}`, {
        method: method.toUpperCase(),
      });
      expect({ name, status }).toEqual({ name, status: 401 });
    }
  });

  test('documents every error with an example', () => {
    const atLeast = (name: string, { security }: Operation): string[] => {
      if (name.startsWith('get /health')) return [];
      if (isForProviders(name) || name === 'get /api/v1/auth/ways') return ['429', '503'];
      if (name === 'get /.well-known/webauthn') return ['404', '429'];
      if (security?.length === 0) return ['400', '429', '503'];
      const one = name.includes('{') ? ['404'] : [];
      return ['400', '401', '403', '429', '503', ...(takesKey(name) ? ['409'] : []), ...one];
    };
    for (const [name, operation] of operations) {
      expect(Object.keys(operation.responses), name).toEqual(
        expect.arrayContaining(atLeast(name, operation)),
      );
      expect(
        Object.keys(operation.responses).some((status) => /^[23]/.test(status)),
        name,
      ).toBe(true);
      for (const [status, { description, content = {} }] of Object.entries(operation.responses)) {
        expect(description, `${name} ${status}`).toMatch(/\w{4}/);
        const [media] = Object.values(content);
        if (!media && isForProviders(name) && /^(?:204|3..)$/.test(status)) continue;
        expect(media && examplesOf(media).length, `${name} ${status}`).toBeGreaterThan(0);
      }
    }
  });

  test('documents only statuses of the contract', () => {
    const listed = ['200', '201', '202', '400', '401', '403', '404', '409', '429', '500', '503'];
    const ofBrowsers = ['302', '303'];
    const ofDownloads = ['206', '416'];
    const ofScim = ['204', '304', '412', '413', '501'];
    for (const [name, { responses }] of operations) {
      if (isForProviders(name)) {
        const more = isScim(name) ? ofScim : ofBrowsers;
        expect([...listed, ...more], name).toEqual(expect.arrayContaining(Object.keys(responses)));
        continue;
      }
      const more = name.endsWith('/download') ? ofDownloads : [];
      expect([...listed, ...more], name).toEqual(expect.arrayContaining(Object.keys(responses)));
    }
  });

  test('shows the error body of its contract in every example', () => {
    for (const [name, { responses }] of operations) {
      for (const [status, { content }] of Object.entries(responses)) {
        if (Number(status) < 400 || name.startsWith('get /health') || isScim(name)) continue;
        for (const example of examplesOf(content?.['application/json'] ?? {})) {
          const keys = name.includes(' /v2/')
            ? expect.objectContaining({ detail: expect.any(String) })
            : {
                error:
                  status === '429'
                    ? {
                        code: 'RATE_LIMIT_EXCEEDED',
                        message: expect.any(String),
                        retry_after: expect.any(Number),
                        limit: expect.any(Number),
                        reset_at: expect.any(String),
                      }
                    : {
                        code: expect.any(String),
                        message: expect.any(String),
                        details: expect.toSatisfy(
                          (details) =>
                            typeof details === 'string' ||
                            HAS_DETAILS.has((example as { error: { code: string } }).error.code),
                        ),
                        timestamp: expect.any(String),
                        request_id: expect.any(String),
                      },
              };
          expect(example, `${name} ${status}`).toEqual(keys);
        }
      }
    }
  });

  test('documents the content type of its body', () => {
    for (const [name, { requestBody }] of operations) {
      if (!requestBody) continue;
      const types = Object.keys(requestBody.content);
      if (name.includes(' /v2/')) {
        expect(types, name).toEqual(['application/x-www-form-urlencoded', 'multipart/form-data']);
      } else if (isScim(name)) expect(types, name).toContain('application/scim+json');
      else if (isForProviders(name)) expect(types, name).toEqual(['application/x-www-form-urlencoded']);
      else if (name.endsWith('upload-pdf')) expect(types, name).toEqual(['multipart/form-data']);
      else {
        expect(types, name).toEqual(['application/json']);
        expect(examplesOf(requestBody.content['application/json'] ?? {}).length, name).toBeGreaterThan(0);
      }
    }
  });

  test('documents Idempotency-Key where it has an effect', () => {
    for (const [name, { security, parameters = [] }] of operations) {
      const has = parameters.some(
        (parameter) => parameter.name === 'Idempotency-Key' && parameter.in === 'header',
      );
      expect({ name, has }).toEqual({ name, has: security?.length !== 0 && takesKey(name) });
    }
  });
});

describe.each(['gateway', 'user'])('the webhooks of the %s service', (name) => {
  const webhooks = () => JSON.parse(documents[name] as string).webhooks;

  test('are the events', () => {
    expect(Object.keys(webhooks())).toEqual(Object.keys(EVENTS));
  });

  test.each(Object.entries(EVENTS))(
    'describe %s with its version, schema and example',
    (event, definition) => {
      const { post } = webhooks()[event];
      const { schema, example } = post.requestBody.content['application/json'];
      expect(post['x-event-version']).toBe(definition.version);
      expect(example).toEqual({ event, timestamp: expect.any(String), data: definition.example });
      expect(Object.keys(schema.properties.data.properties)).toEqual(Object.keys(definition.data.shape));
      expect(schema.properties.data).not.toHaveProperty('additionalProperties');
      expect(schema.required).toEqual(['event', 'timestamp', 'data']);
      expect(post.parameters.map((header: { name: string }) => header.name)).toEqual([
        'X-Service-Signature',
        'webhook-id',
        'webhook-timestamp',
        'webhook-signature',
      ]);
    },
  );
});

test('only the user service and the gateway send events', () => {
  expect(JSON.parse(documents.login as string)).not.toHaveProperty('webhooks');
});
