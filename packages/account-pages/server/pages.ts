import { readFile } from 'node:fs/promises';
import type { IncomingHttpHeaders } from 'node:http';
import type { GatewayConfig } from '@gatehouse/shared/config';
import { waysOf } from '@gatehouse/shared/contract/ways';
import { orNotFound } from '@gatehouse/shared/http/errors';
import { LANGUAGES, type Language, languageOf } from '@gatehouse/shared/http/language';
import { publicRoutes } from '@gatehouse/shared/http/public-routes';
import { DOCUMENT_HEADERS } from '@gatehouse/shared/http/response-headers';
import { isKnown } from '@gatehouse/shared/http/shared-document';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import Negotiator from 'negotiator';
import { NEEDS_SESSION, PATHS, viewOf } from '../browser/paths.ts';
import { type Asset, CODINGS, type Coding, createAsset, createModules } from './assets.ts';
import { contentSecurityPolicy } from './content-security-policy.ts';
import { memoize } from './memoize.ts';
import { shell } from './shell.ts';

/** Read once, also by several gateways in a process. */
const modules = createModules();

const browser = (path: string) => new URL(`../browser/${path}`, import.meta.url);

/** The account pages at their own paths, and their assets (CONTRACT.md §Account pages). */
export async function pages(app: FastifyInstance, { config }: { config: GatewayConfig }): Promise<void> {
  publicRoutes(app);
  app.addHook('onRoute', (route) => {
    route.schema = { hide: true };
  });
  // Built at the first request: stripping types takes more memory than the rest of the gateway.
  const { get: content } = memoize(build);
  const headers = {
    'cache-control': 'no-cache',
    'content-security-policy': contentSecurityPolicy(config),
    'permissions-policy': 'camera=(), geolocation=(), microphone=()',
    ...DOCUMENT_HEADERS,
    vary: 'accept-language, accept-encoding',
  };

  for (const path of PATHS) {
    app.get(path, async (request, reply) =>
      send(
        request,
        reply.headers(headers),
        (await content(config)).shellOf(path, languageOf(request.headers['accept-language'])),
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

/** Builds every page and asset. */
async function build(config: GatewayConfig) {
  const arrival = await modules.load(browser('arrival.ts'));
  const main = await modules.load(browser('main.ts'));
  const altcha = await loadAltcha(config);
  const styles = [
    createAsset('style.css', await readFile(browser('style.css'), 'utf8')),
    createAsset('brand.css', `:root { --brand: ${config.BRAND_COLOR}; }\n`),
  ];
  const oldBrowser = createAsset('old-browser.js', await readFile(browser('old-browser.js'), 'utf8'));
  const drawing = await readFile(browser('icon.svg'), 'utf8');
  const icon = createAsset('icon.svg', drawing.replace('currentColor', config.BRAND_COLOR));
  const logo = config.BRAND_LOGO_URL ?? icon.path;
  const shells = new Map<string, Omit<Asset, 'path'>>();
  for (const language of LANGUAGES) {
    const texts = await modules.load(browser(`texts/${language}.ts`));
    const accountTexts = await modules.load(browser(`texts/${language}-account.ts`));
    const visitorTexts = await modules.load(browser(`texts/${language}-visitor.ts`));
    for (const path of PATHS) {
      const { closure } = await modules.load(browser(`views/${viewOf(path)}.ts`));
      const more = NEEDS_SESSION.has(viewOf(path)) ? accountTexts : visitorTexts;
      const document = shell({
        language,
        config: { ...browserConfig(config), logo, altcha: altcha?.config },
        icon: logo,
        styles: styles.map((asset) => asset.path),
        oldBrowser: oldBrowser.path,
        scripts: [arrival.asset.path, main.asset.path],
        preloads: [...new Set([...main.closure, ...texts.closure, ...more.closure, ...closure])],
      });
      shells.set(`${language} ${path}`, {
        ...createAsset('page.html', document),
        type: 'text/html; charset=utf-8',
      });
    }
  }
  const loaded = (await modules.all()).map(({ asset }) => asset);
  return {
    shellOf: (path: string, language: Language) => shells.get(`${language} ${path}`) as Omit<Asset, 'path'>,
    assets: new Map(
      [...styles, icon, oldBrowser, ...(altcha?.assets ?? []), ...loaded].map((asset) => [asset.path, asset]),
    ),
  };
}

/** What the ALTCHA widget loads by itself; its module is imported by ours. */
async function loadAltcha({ CAPTCHA_PROVIDER }: GatewayConfig) {
  if (CAPTCHA_PROVIDER !== 'altcha') return undefined;
  const packaged = (specifier: string) => new URL(import.meta.resolve(specifier));
  const worker = (await modules.load(packaged('altcha/workers/pbkdf2'))).asset;
  const style = createAsset('altcha.css', await readFile(packaged('altcha/altcha.css'), 'utf8'));
  return { config: { worker: worker.path, style: style.path }, assets: [style] };
}

const browserConfig = (config: GatewayConfig) => ({
  ways: waysOf(config),
  BRAND_NAME: config.BRAND_NAME,
  CAPTCHA_PROVIDER: config.CAPTCHA_PROVIDER,
  CAPTCHA_SITE_KEY: config.CAPTCHA_SITE_KEY,
  CAPTCHA_ACTION: config.CAPTCHA_ACTION,
  CAPTCHA_ON_CATALOGUE_LOGIN: config.CAPTCHA_ON_CATALOGUE_LOGIN,
});
