import swagger from '@fastify/swagger';
import type { FastifyInstance } from 'fastify';
import fp from 'fastify-plugin';
import { jsonSchemaTransform } from 'fastify-type-provider-zod';
import { keyPermissionOf } from '../access/by-key.ts';
import type { Facts } from '../operation/operation.ts';
import { isBearer, requirementText } from '../operation/requirement.ts';
import { docPages } from './doc-pages.ts';
import { publicRoutes } from './public-routes.ts';
import { sendDocument, sharedDocument } from './shared-document.ts';

/** Authenticates the services of the platform, which have no user. */
const SERVICE_KEY = { type: 'http', scheme: 'bearer', description: 'INTERNAL_API_KEY' } as const;

/** Authenticates the provisioning of an identity provider. */
const SCIM_TOKEN = { type: 'http', scheme: 'bearer', description: 'The SCIM token of a connection' } as const;

interface DocsOptions {
  name: string;
  description: string;
  /** The events that the server sends, for the document's section `webhooks`. */
  webhooks?: Record<string, object>;
  /** Replaces the document of this server's own routes. */
  document?: (app: FastifyInstance) => Promise<object>;
  /** Unix milliseconds. */
  now: () => number;
}

/** Serves /openapi.json, built from the schemas of the routes, and its pages /docs (Swagger UI) and /redoc. */
export const docs = fp(
  async (
    app: FastifyInstance,
    { name, description, webhooks, document = async () => app.swagger(), now }: DocsOptions,
  ) => {
    await app.register(swagger, {
      openapi: {
        ...(webhooks && { webhooks }),
        openapi: '3.1.0',
        info: {
          title: `Gatehouse ${name}`,
          description,
          version: '0.1.0',
          license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
        },
        servers: [{ url: '/' }],
        components: {
          securitySchemes: {
            bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
            ...(name === 'user' && { serviceKey: SERVICE_KEY }),
            ...(name !== 'login' && { scimToken: SCIM_TOKEN }),
          },
        },
        tags: [
          { name: 'account', description: 'Direct contract: signup, login, one-time codes and passwords' },
          { name: 'session', description: 'Catalogue contract: login, refresh and logout' },
          { name: 'keys', description: 'Machine keys of people and of service accounts' },
          { name: 'profile', description: "The caller's profile" },
          { name: 'chatbots', description: 'Chatbots and their access lists' },
          { name: 'organizations', description: 'Organizations with departments, members and billing' },
          { name: 'webhooks', description: 'Webhooks, deliveries and replays' },
          {
            name: 'single sign-on',
            description: 'Connections to identity providers, verified domains and logins through them',
          },
          { name: 'SCIM', description: 'SCIM 2.0: provisioning of users and groups by an identity provider' },
          { name: 'events', description: 'Events published by services of the platform' },
          { name: 'operators', description: 'The admin API, for operators of the deployment' },
          { name: 'platform', description: 'Operations of the platform behind the gateway' },
          { name: 'health', description: 'Health checks for operators and orchestrators' },
        ],
      },
      transform: (route) => {
        const { schema, url } = jsonSchemaTransform(route);
        const operationId = operationIdOf(String(route.route.method), url);
        const operation = route.route.config?.operation;
        return {
          url,
          schema: {
            security: [],
            operationId,
            ...schema,
            ...(operation && documentFacts(operation)),
            ...(operation?.orCsv && { response: withCsv(schema.response as Responses) }),
          },
        };
      },
    });
    await app.register(async (pages) => {
      publicRoutes(pages, { unmetered: false });
      docPages(pages);
      const build = async () => JSON.stringify(await document(app));
      const current = sharedDocument('application/json; charset=utf-8', build, now);
      pages.get('/openapi.json', { schema: { hide: true } }, async (request, reply) =>
        sendDocument(request, reply, await current()),
      );
    });
  },
);

type Responses = Record<string, { description?: string; examples?: unknown[] }>;

/** Adds CSV to the media types of the answers that succeed. */
const withCsv = (responses: Responses) =>
  Object.fromEntries(
    Object.entries(responses).map(([status, { examples = [], ...schema }]) => {
      if (!status.startsWith('2')) return [status, { ...schema, examples }];
      const [example] = examples;
      const csv = { schema: { type: 'string' }, example: 'name,count\r\nAda,7\r\n' };
      const content = { 'application/json': { schema, example }, 'text/csv': csv };
      return [status, { description: schema.description, content }];
    }),
  );

/** Documents what the schemas do not say, for machines and for readers. */
function documentFacts(facts: Facts): object {
  const { needs, orOneself, description, contract, takesIdempotencyKey, returnsSecret } = facts;
  const byKey = isBearer(needs) ? keyPermissionOf(facts) : undefined;
  const text = requirementText(needs, orOneself);
  return {
    'x-contract': contract,
    ...(takesIdempotencyKey && { 'x-idempotency-key': true }),
    ...(returnsSecret === 'session' && { 'x-session-mode': true }),
    ...(byKey && { 'x-key-permission': byKey }),
    ...(text && { 'x-permission': needs, description: `${description} ${text}` }),
  };
}

/** Returns the method name for generated clients, such as `getApiV1UsersMe`. */
const operationIdOf = (method: string, url: string): string =>
  [method.toLowerCase(), ...url.split(/[^A-Za-z0-9]+/).filter(Boolean)]
    .map((word, index) => (index === 0 ? word : word[0]?.toUpperCase() + word.slice(1)))
    .join('');
