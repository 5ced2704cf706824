import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import type { FastifyContextConfig, FastifyInstance } from 'fastify';
import fp from 'fastify-plugin';
import { jsonSchemaTransform } from 'fastify-type-provider-zod';
import { requirementText } from '../access/requirement.ts';
import { publicRoutes } from './public-routes.ts';

const REDOC_PAGE = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Gatehouse API</title>
<link rel="icon" href="data:,">
<body style="margin:0">
<redoc spec-url="/openapi.json"></redoc>
<script src="/redoc/redoc.standalone.js"></script>
</html>
`;
/** Both pages style themselves from script, and Redoc searches in a worker; nothing comes from elsewhere. */
const POLICY =
  "default-src 'self'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; worker-src blob:; base-uri 'none'; frame-ancestors 'none'";

/** What the platform's services have in place of a user's bearer, where they have something to call. */
const SERVICE_KEY = { type: 'http', scheme: 'bearer', description: 'INTERNAL_API_KEY' } as const;

interface DocsOptions {
  name: string;
  description: string;
  /** In place of what the routes of this server say. */
  document?: (app: FastifyInstance) => Promise<object>;
}

/** /openapi.json from the routes' own schemas, shown at /docs (Swagger UI) and /redoc, all from this server. */
export const docs = fp(
  async (app: FastifyInstance, { name, description, document = async () => app.swagger() }: DocsOptions) => {
    await app.register(swagger, {
      openapi: {
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
          },
        },
        tags: [
          { name: 'account', description: 'The Direct contract: signup, login, codes and passwords' },
          { name: 'session', description: 'The catalogue: log in, refresh, log out' },
          { name: 'profile', description: 'The own profile' },
          { name: 'chatbots', description: 'The chatbot directory' },
          { name: 'organizations', description: 'Organizations, their departments, members and bills' },
          { name: 'webhooks', description: 'Receivers of events, their deliveries and replays' },
          { name: 'events', description: "What the platform's services tell" },
          { name: 'platform', description: 'What the platform behind the gateway serves' },
          { name: 'health', description: 'For operators and orchestrators' },
        ],
      },
      transform: (route) => {
        const { schema, url } = jsonSchemaTransform(route);
        const operationId = operationIdOf(String(route.route.method), url);
        // No need of a bearer is said in so many words, and not by silence.
        return {
          url,
          schema: { security: [], operationId, ...schema, ...needs(route.route.config, schema?.description) },
        };
      },
    });
    await app.register(async (pages) => {
      publicRoutes(pages);
      await pages.register(swaggerUi, {
        routePrefix: '/docs',
        staticCSP: true,
        transformStaticCSP: () => POLICY,
        uiConfig: { layout: 'BaseLayout', validatorUrl: null },
      });
      const hidden = { schema: { hide: true } };
      pages.get('/openapi.json', hidden, () => document(app));
      // Swagger UI asks here; there is one document.
      pages.addHook('onRequest', async (request, reply) => {
        if (request.url === '/docs/json') return reply.redirect('/openapi.json');
      });
      pages.get('/redoc', hidden, async (_request, reply) =>
        reply.type('text/html; charset=utf-8').header('content-security-policy', POLICY).send(REDOC_PAGE),
      );
      pages.get('/redoc/redoc.standalone.js', hidden, async (_request, reply) =>
        reply.type('text/javascript; charset=utf-8').send(await redocBundle()),
      );
    });
  },
);

/** What a route needs of its caller, for machines and for readers. */
function needs({ permission, orOneself }: FastifyContextConfig = {}, description = ''): object {
  if (!permission) return {};
  return {
    'x-permission': permission,
    description: [description, requirementText(permission, orOneself)].join(' '),
  };
}

/** A name that generated clients can call it by: `getApiV1UsersMe`. */
const operationIdOf = (method: string, url: string): string =>
  [method.toLowerCase(), ...url.split(/[^A-Za-z0-9]+/).filter(Boolean)]
    .map((word, index) => (index === 0 ? word : word[0]?.toUpperCase() + word.slice(1)))
    .join('');

/** Redoc's bundle without the one picture that it would fetch from its maker's host. */
async function redocBundle(): Promise<string> {
  const path = createRequire(import.meta.url).resolve('redoc/bundles/redoc.standalone.js');
  return (await readFile(path, 'utf8')).replaceAll(/https:\/\/cdn\.redoc\.ly\/[^"']*/g, '');
}
