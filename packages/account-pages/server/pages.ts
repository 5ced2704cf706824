import type { IncomingHttpHeaders } from 'node:http';
import type { GatewayConfig } from '@gatehouse/shared/config';
import { orNotFound } from '@gatehouse/shared/http/errors';
import { publicRoutes } from '@gatehouse/shared/http/public-routes';
import { READER_HEADERS, readerOf } from '@gatehouse/shared/http/reader';
import { DOCUMENT_HEADERS } from '@gatehouse/shared/http/response-headers';
import { isKnown } from '@gatehouse/shared/http/shared-document';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import Negotiator from 'negotiator';
import { CONSOLE_PATHS } from '../browser/console/paths.ts';
import { PATHS } from '../browser/paths.ts';
import { type Asset, CODINGS, type Coding } from './assets.ts';
import { buildContent } from './build-content.ts';
import { contentSecurityPolicy } from './content-security-policy.ts';
import { memoize } from './memoize.ts';

/** The account pages and the operators' console at their own paths, and their assets (CONTRACT.md §Account pages, §Console). */
export async function pages(app: FastifyInstance, { config }: { config: GatewayConfig }): Promise<void> {
  publicRoutes(app);
  app.addHook('onRoute', (route) => {
    route.schema = { hide: true };
  });
  // Built at the first request: stripping types takes more memory than the rest of the gateway.
  const { get: content } = memoize(buildContent);
  const headersOf = (policy: string) => ({
    'cache-control': 'no-cache',
    'content-security-policy': policy,
    'permissions-policy': 'camera=(), geolocation=(), microphone=()',
    ...DOCUMENT_HEADERS,
    vary: `${READER_HEADERS}, accept-encoding`,
  });
  const account = { paths: PATHS, headers: headersOf(contentSecurityPolicy(config)) };
  // Operators sign in at the account pages: the console shows no CAPTCHA, so its policy names no other host for one.
  const console = {
    paths: config.ADMIN_CONSOLE ? CONSOLE_PATHS : [],
    headers: headersOf(contentSecurityPolicy({ ...config, CAPTCHA_PROVIDER: 'none' })),
  };
  const documents = [account, console].flatMap(({ paths, headers }) =>
    paths.map((path) => ({ path, headers })),
  );

  for (const { path, headers } of documents) {
    app.get(path, async (request, reply) =>
      send(
        request,
        reply.headers(headers),
        (await content(config)).documentOf(path, readerOf(request.headers)),
      ),
    );
    if (path !== '/') {
      app.get(`${path}/`, async ({ url }, reply) =>
        // The query may hold the token of a support link.
        reply
          .headers({ ...headers, 'cache-control': 'no-store' })
          .redirect(path + url.slice(`${path}/`.length), 308),
      );
    }
  }
  const immutable = { 'cache-control': 'public, max-age=31536000, immutable', vary: 'accept-encoding' };
  app.get<{ Params: { name: string } }>('/assets/:name', async (request, reply) => {
    const asset = orNotFound((await content(config)).assets.get(`/assets/${request.params.name}`));
    return send(request, reply.headers(immutable), asset);
  });
}

/** Sends content in the best encoding that the client accepts; 304 when the client has it. */
async function send(
  { headers }: FastifyRequest,
  reply: FastifyReply,
  { type, encoded }: Omit<Asset, 'path'>,
): Promise<FastifyReply> {
  const encoding = preferredEncoding(headers);
  const { body, etag } = await encoded(encoding);
  reply.header('etag', etag);
  if (isKnown(headers, etag)) return reply.code(304).send();
  if (encoding !== 'identity') reply.header('content-encoding', encoding);
  return reply.type(type).send(body);
}

/** Chooses the best content coding that the client accepts (RFC 9110 §12.5.3). */
function preferredEncoding(headers: IncomingHttpHeaders): Coding {
  const accepted = new Negotiator({ headers }).encodings([...CODINGS]);
  return CODINGS.find((coding) => accepted.includes(coding)) ?? 'identity';
}
