import fs from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { PATHS } from '../../packages/account-pages/browser/paths.ts';
import { errorEnvelope } from '../fixtures/envelope.ts';
import { startGateway } from '../fixtures/gateway.ts';
import { exchange } from '../gateway/platform.ts';

let gateway: Awaited<ReturnType<typeof startGateway>>;
beforeAll(async () => {
  gateway = await startGateway({ env: { LOG_LEVEL: 'trace' } });
});
afterAll(() => gateway.stop());

const get = (path: string, headers: Record<string, string> = {}) =>
  exchange(`${gateway.url}${path}`, { headers });
/** The paths of the assets that a page names. */
async function assetsOf(path: string): Promise<string[]> {
  const { body } = await get(path);
  return [...new Set(body.toString().match(/\/assets\/[\w.-]+/g))];
}

describe('a page', () => {
  test.each(PATHS)('%s is HTML without anything inline', async (path) => {
    const { status, headers, body } = await get(path);
    expect({ status, type: headers['content-type'] }).toEqual({
      status: 200,
      type: 'text/html; charset=utf-8',
    });
    const html = body.toString();
    expect(html).not.toMatch(/<style|\sstyle=|\son\w+=|javascript:|https?:/);
    for (const [script] of html.matchAll(/<script.*?<\/script>/gs)) {
      expect(script).toMatch(/^<script (?:type="module"|defer) src="\/assets\/[\w.-]+"><\/script>$/);
    }
  });

  test('has headers that protect it', async () => {
    const { headers } = await get('/');
    expect(headers).toMatchObject({
      'cache-control': 'no-cache',
      'referrer-policy': 'no-referrer',
      'permissions-policy': 'camera=(), geolocation=(), microphone=()',
      'cross-origin-opener-policy': 'same-origin',
      'x-content-type-options': 'nosniff',
      vary: expect.stringMatching(/accept-language.*accept-encoding/i),
    });
    expect(headers['set-cookie']).toBeUndefined();
  });

  test('shows the anonymous budget and does not spend it', async () => {
    const first = await get('/');
    const second = await get('/login');
    expect(first.headers['x-ratelimit-limit']).toBe('300');
    expect(second.headers['x-ratelimit-remaining']).toBe(first.headers['x-ratelimit-remaining']);
  });

  test.each([
    [undefined, 'en'],
    ['de', 'de'],
    ['de-AT,de;q=0.9,en;q=0.8', 'de'],
    ['en-US,de;q=0.9', 'en'],
    ['fr-FR,fr;q=0.9,de;q=0.5,en;q=0.4', 'de'],
    ['de;q=0.1,en;q=0.2', 'en'],
    ['de;q=0', 'en'],
    ['fr', 'en'],
    ['es-MX, en;q=0.5', 'es'],
    ['*', 'en'],
    [';;;q=,,,', 'en'],
    [`${'x'.repeat(5_000)},de`, 'de'],
  ])('for Accept-Language %s is in %s', async (accepted, language) => {
    const { body } = await get('/', accepted === undefined ? {} : { 'accept-language': accepted });
    expect(body.toString()).toContain(`<html lang="${language}">`);
  });

  test.each(PATHS.filter((path) => path !== '/'))('%s/ leads to the path without the slash', async (path) => {
    for (const query of ['', '?page=2', '?adminRedirect=true&token=a.b&user_id=//evil.example']) {
      const { status, headers } = await get(`${path}/${query}`);
      expect({ status, location: headers.location, cached: headers['cache-control'] }).toEqual({
        status: 308,
        location: path + query,
        cached: 'no-store',
      });
      expect(headers['referrer-policy']).toBe('no-referrer');
    }
  });

  test('answers HEAD without a body', async () => {
    const page = await get('/');
    const head = await exchange(`${gateway.url}/`, { method: 'HEAD' });
    expect({ status: head.status, body: head.body.length, etag: head.headers.etag }).toEqual({
      status: 200,
      body: 0,
      etag: page.headers.etag,
    });
    expect(head.headers['content-length']).toBe(String(page.body.length));
  });

  test.each(['POST', 'PUT', 'DELETE'])(
    '%s needs a bearer, as at every path that is nobody’s',
    async (method) => {
      expect((await exchange(`${gateway.url}/login`, { method })).status).toBe(401);
    },
  );

  test('is not in the OpenAPI document', () => {
    const { paths } = gateway.app.swagger();
    expect(
      Object.keys(paths ?? {}).filter((path) => PATHS.includes(path as '/') || path.includes('asset')),
    ).toEqual([]);
  });

  test('logs no query', async () => {
    const secret = 'the-token-of-a-support-link';
    await get(`/login?adminRedirect=true&token=${secret}&user_id=User-1`);
    await get(`/login?token=${secret}%`);
    await get(`/nowhere?token=${secret}`);
    await get(`/api/v1/users/me?token=${secret}`);
    expect(gateway.logged.join('')).toContain('/api/v1/users/me');
    expect(gateway.logged.join('')).not.toContain(secret);
  });
});

describe('compression and caching', () => {
  test.each([
    ['br', 'br', brotliDecompressSync],
    ['gzip', 'gzip', gunzipSync],
    ['gzip, deflate, br, zstd', 'br', brotliDecompressSync],
    ['identity', undefined, (bytes: Buffer) => bytes],
    ['br;q=0, gzip', 'gzip', gunzipSync],
    [`${'a'.repeat(10_000)}, br`, 'br', brotliDecompressSync],
    [';;;q=,,,', undefined, (bytes: Buffer) => bytes],
  ])('for Accept-Encoding %s the encoding is %s', async (accepted, encoding, decode) => {
    const plain = await get('/');
    const { headers, body } = await get('/', { 'accept-encoding': accepted });
    expect(headers['content-encoding']).toBe(encoding);
    expect(decode(body).toString()).toBe(plain.body.toString());
  });

  test('a page that the client has is 304, for each encoding and language', async () => {
    const requests = [{}, { 'accept-encoding': 'br' }, { 'accept-language': 'de' }];
    const etags = new Set<string>();
    for (const headers of requests) {
      const etag = String((await get('/', headers)).headers.etag);
      etags.add(etag);
      const again = await get('/', { ...headers, 'if-none-match': `"other", W/${etag}` });
      expect({ status: again.status, body: again.body.length, etag: again.headers.etag }).toEqual({
        status: 304,
        body: 0,
        etag,
      });
      expect(again.headers['content-security-policy']).toBeDefined();
      expect((await get('/', { ...headers, 'if-none-match': '"other"' })).status).toBe(200);
    }
    expect(etags.size).toBe(requests.length);
  });

  test('assets are immutable and named after their content', async () => {
    const assets = await assetsOf('/');
    expect(assets.length).toBeGreaterThan(10);
    for (const path of assets) {
      const { status, headers, body } = await get(path);
      expect({ path, status }).toEqual({ path, status: 200 });
      expect(headers['cache-control']).toBe('public, max-age=31536000, immutable');
      expect(headers['content-type']).toMatch(
        /^(text\/javascript; charset=utf-8|text\/css; charset=utf-8|image\/svg\+xml)$/,
      );
      expect(body.length).toBeGreaterThan(0);
    }
  });

  test('modules import assets by path, which all exist', async () => {
    const seen = new Set<string>();
    const visit = async (path: string): Promise<void> => {
      if (seen.has(path)) return;
      seen.add(path);
      const { status, body } = await get(path);
      expect({ path, status }).toEqual({ path, status: 200 });
      const imported = body.toString().matchAll(/(?:\bfrom|\bimport\(?)\s*['"](\/assets\/[\w.-]+)['"]/g);
      await Promise.all([...imported].map(([, asset]) => visit(String(asset))));
    };
    await Promise.all((await assetsOf('/')).map(visit));
    expect([...seen].filter((path) => path.includes('/sso.'))).toHaveLength(1);
  });

  test('a page preloads exactly what its first view imports, so one round trip is enough', async () => {
    const { body } = await get('/signup');
    const preloaded = [...body.toString().matchAll(/rel="modulepreload" href="([^"]+)"/g)].map(
      ([, path]) => path,
    );
    const named = (name: string) => preloaded.filter((path) => path?.startsWith(`/assets/${name}.`)).length;
    expect(new Set(preloaded).size).toBe(preloaded.length);
    expect({
      view: named('sign-up'),
      other: named('profile'),
      english: named('en'),
      german: named('de'),
      spanish: named('es'),
    }).toEqual({
      view: 1,
      other: 0,
      english: 1,
      german: 0,
      spanish: 0,
    });
  });

  test.each(PATHS)('the first visit of %s loads less than 57 KB compressed', async (path) => {
    const page = await get(path, { 'accept-encoding': 'br' });
    const assets = await Promise.all(
      (await assetsOf(path)).map((asset) => get(asset, { 'accept-encoding': 'br' })),
    );
    const bytes = [page, ...assets].reduce((sum, { body }) => sum + body.length, 0);
    expect(bytes).toBeLessThan(57 * 1024);
  });
});

describe('the Content-Security-Policy', () => {
  const policyOf = async (env: NodeJS.ProcessEnv) => {
    const other = await startGateway({ env });
    const { headers } = await exchange(`${other.url}/`);
    await other.stop();
    return Object.fromEntries(
      String(headers['content-security-policy'])
        .split('; ')
        .map((directive) => directive.split(/ (.*)/).slice(0, 2)),
    );
  };
  const OWN = {
    'default-src': "'none'",
    'script-src': "'self'",
    'style-src': "'self'",
    'img-src': "'self'",
    'connect-src': "'self'",
    'frame-src': "'none'",
    'worker-src': "'self'",
    'base-uri': "'none'",
    'form-action': "'self'",
    'frame-ancestors': "'none'",
  };
  const hcaptcha = 'https://hcaptcha.com https://*.hcaptcha.com';

  test.each([
    ['none', {}],
    ['altcha', {}],
    [
      'recaptcha',
      {
        'script-src': "'self' https://www.google.com/recaptcha/ https://www.gstatic.com/recaptcha/",
        'frame-src': 'https://www.google.com/recaptcha/ https://recaptcha.google.com/recaptcha/',
      },
    ],
    [
      'hcaptcha',
      {
        'script-src': `'self' ${hcaptcha}`,
        'style-src': `'self' ${hcaptcha}`,
        'connect-src': `'self' ${hcaptcha}`,
        'frame-src': hcaptcha,
      },
    ],
    [
      'turnstile',
      {
        'script-src': "'self' https://challenges.cloudflare.com",
        'frame-src': 'https://challenges.cloudflare.com',
      },
    ],
  ])('for the provider %s allows its hosts alone', async (CAPTCHA_PROVIDER, added) => {
    expect(await policyOf({ CAPTCHA_PROVIDER })).toEqual({ ...OWN, ...added });
  });

  test('allows the host of the logo for images', async () => {
    expect(await policyOf({ BRAND_LOGO_URL: 'https://cdn.example.com/logo.svg' })).toEqual({
      ...OWN,
      'img-src': "'self' https://cdn.example.com",
    });
    expect(await policyOf({ BRAND_LOGO_URL: '/logo.svg' })).toEqual(OWN);
  });
});

describe('the brand', () => {
  test('is escaped in the document', async () => {
    const other = await startGateway({ env: { BRAND_NAME: `R&D "Labs" 'x'` } });
    const { body } = await exchange(`${other.url}/`);
    await other.stop();
    expect(body.toString()).toContain('<title>R&amp;D &quot;Labs&quot; &#39;x&#39;</title>');
    expect(body.toString()).not.toContain('"Labs"');
  });

  test('colors the icon and the stylesheet', async () => {
    const other = await startGateway({ env: { BRAND_COLOR: '#aa0044' } });
    const { body } = await exchange(`${other.url}/`);
    const [icon, style] = [/\/assets\/icon\.[\w.-]+/, /\/assets\/brand\.[\w.-]+/].map(
      (path) => path.exec(body.toString())?.[0],
    );
    expect((await exchange(`${other.url}${icon}`)).body.toString()).toContain('#aa0044');
    expect((await exchange(`${other.url}${style}`)).body.toString()).toContain('--brand: #aa0044');
    await other.stop();
  });
});

describe('elsewhere nothing changes', () => {
  test.each(['/assets/main.js', '/assets/../main.ts', '/assets/%2e%2e/main.ts'])(
    '%s is 404',
    async (path) => {
      expect((await get(path)).status).toBe(404);
    },
  );

  test.each(['/api/v1/users/me', '/api/v1/nowhere', '/auth/refresh', '/nowhere'])(
    '%s is 401 without a bearer',
    async (path) => {
      const { status, body } = await get(path);
      expect(status).toBe(401);
      expect(JSON.parse(body.toString())).toEqual(errorEnvelope('INVALID_TOKEN', 'No authorization header'));
    },
  );

  test('/v2/nowhere is 404 of the Direct contract', async () => {
    const { status, body } = await get('/v2/nowhere');
    expect({ status, body: JSON.parse(body.toString()) }).toEqual({
      status: 404,
      body: { detail: 'Not found' },
    });
  });
});

test('builds the pages at the next request if a file could not be read at the first', async () => {
  const other = await startGateway({ database: gateway.db });
  const readFile = vi.spyOn(fs, 'readFile').mockRejectedValueOnce(new Error('EMFILE: too many open files'));
  syncBuiltinESMExports();
  try {
    expect((await exchange(`${other.url}/login`)).status).toBe(500);
    expect((await exchange(`${other.url}/login`)).status).toBe(200);
  } finally {
    readFile.mockRestore();
    syncBuiltinESMExports();
    await other.stop();
  }
});
