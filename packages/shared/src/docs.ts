import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import type { FastifyInstance } from 'fastify';
import fp from 'fastify-plugin';
import { jsonSchemaTransform } from 'fastify-type-provider-zod';
import { unmetered } from './unmetered.ts';

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

/** /openapi.json from the routes' own schemas, shown at /docs (Swagger UI) and /redoc, all from this server. */
export const docs = fp(
  async (app: FastifyInstance, { name, description }: { name: string; description: string }) => {
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
        tags: [
          { name: 'account', description: 'Signup, login, codes and passwords' },
          { name: 'health', description: 'For operators and orchestrators' },
        ],
      },
      transform: jsonSchemaTransform,
    });
    await app.register(async (pages) => {
      unmetered(pages);
      await pages.register(swaggerUi, {
        routePrefix: '/docs',
        staticCSP: true,
        transformStaticCSP: () => POLICY,
        uiConfig: { layout: 'BaseLayout', validatorUrl: null },
      });
      const hidden = { schema: { hide: true } };
      pages.get('/openapi.json', hidden, async () => app.swagger());
      pages.get('/redoc', hidden, async (_request, reply) =>
        reply.type('text/html; charset=utf-8').header('content-security-policy', POLICY).send(REDOC_PAGE),
      );
      pages.get('/redoc/redoc.standalone.js', hidden, async (_request, reply) =>
        reply.type('text/javascript; charset=utf-8').send(await redocBundle()),
      );
    });
  },
);

/** Redoc's bundle without the one picture that it would fetch from its maker's host. */
async function redocBundle(): Promise<string> {
  const path = createRequire(import.meta.url).resolve('redoc/bundles/redoc.standalone.js');
  return (await readFile(path, 'utf8')).replaceAll(/https:\/\/cdn\.redoc\.ly\/[^"']*/g, '');
}
