import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { FastifyInstance } from 'fastify';
import { singleFlight } from '../single-flight.ts';
import { DOCUMENT_HEADERS } from './response-headers.ts';
import { createDocument, type SharedDocument, sendDocument } from './shared-document.ts';

const SWAGGER_UI = '@fastify/swagger-ui/static';

const HEAD = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Gatehouse API</title>
<link rel="icon" href="data:,">
`;

const PAGES = {
  '/docs': `<link rel="stylesheet" href="/docs/swagger-ui.css">
<body style="margin:0">
<div id="swagger-ui"></div>
<script src="/docs/swagger-ui-bundle.js"></script>
<script src="/docs/start.js"></script>`,
  '/redoc': `<body style="margin:0">
<redoc spec-url="/openapi.json"></redoc>
<script src="/redoc/redoc.standalone.js"></script>`,
};

/** The scripts and styles of both pages, as a path in a package and its media type. */
const FILES = {
  '/docs/swagger-ui.css': [`${SWAGGER_UI}/swagger-ui.css`, 'text/css'],
  '/docs/swagger-ui-bundle.js': [`${SWAGGER_UI}/swagger-ui-bundle.js`, 'text/javascript'],
  '/redoc/redoc.standalone.js': ['redoc/bundles/redoc.standalone.js', 'text/javascript'],
} as const;

const START_SWAGGER_UI = `SwaggerUIBundle({ url: '/openapi.json', dom_id: '#swagger-ui', validatorUrl: null });\n`;

/** Scripts set inline styles, and Redoc searches in a worker. Nothing loads from another origin. */
const POLICY =
  "default-src 'self'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; worker-src blob:; base-uri 'none'; frame-ancestors 'none'";

/**
 * Serves /docs (Swagger UI) and /redoc. Their files are read when they are first requested: most processes never serve
 * them. Swagger UI's own plugin would read them at the start.
 */
export function docPages(app: FastifyInstance): void {
  const hidden = { schema: { hide: true } };
  for (const [path, body] of Object.entries(PAGES)) {
    const page = createDocument('text/html; charset=utf-8', `${HEAD}${body}\n</html>\n`);
    app.get(path, hidden, async (request, reply) =>
      sendDocument(request, reply.headers({ ...DOCUMENT_HEADERS, 'content-security-policy': POLICY }), page),
    );
    app.get(`${path}/`, hidden, async (_request, reply) => reply.redirect(path));
  }
  for (const [path, [file, type]] of Object.entries(FILES)) {
    let document: SharedDocument | undefined;
    const read = singleFlight(async () => createDocument(`${type}; charset=utf-8`, await readPublic(file)));
    app.get(path, hidden, async (request, reply) => {
      document ??= await read();
      return sendDocument(request, reply, document);
    });
  }
  const start = createDocument('text/javascript; charset=utf-8', START_SWAGGER_UI);
  app.get('/docs/start.js', hidden, async (request, reply) => sendDocument(request, reply, start));
}

/** Reads a file of a package, without the logo that Redoc would fetch from its vendor. */
async function readPublic(file: string): Promise<string> {
  const text = await readFile(createRequire(import.meta.url).resolve(file), 'utf8');
  return text.replaceAll(/https:\/\/cdn\.redoc\.ly\/[^"']*/g, '');
}
