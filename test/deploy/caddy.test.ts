import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../fixtures/eventually.ts';
import { bodyOf, startGateway, startUpstream } from '../fixtures/gateway.ts';
import { freePorts } from '../fixtures/launcher.ts';

const noCaddy = spawnSync('caddy', ['version']).error !== undefined;
const skipped = noCaddy ? ' (skipped: caddy is not installed)' : '';
const caddyfile = readFileSync(new URL('../../deploy/caddy/Caddyfile', import.meta.url), 'utf8');

/** Starts Caddy with the Caddyfile on this machine only, and with an authority of its own for its certificate. */
async function startCaddy(gateway: string) {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-caddy-'));
  const [port, httpPort] = await freePorts(2);
  const local = caddyfile
    .replace('admin off', `admin off\nskip_install_trust\ndefault_bind 127.0.0.1\nhttp_port ${httpPort}`)
    .replace('gateway:8000', new URL(gateway).host);
  const config = join(folder, 'Caddyfile');
  writeFileSync(config, local);
  const url = `https://localhost:${port}`;
  const child = spawn('caddy', ['run', '--adapter', 'caddyfile', '--config', config], {
    env: {
      PATH: process.env.PATH,
      PUBLIC_URL: url,
      HOME: folder,
      XDG_DATA_HOME: folder,
      XDG_CONFIG_HOME: folder,
    },
    stdio: 'ignore',
  });
  const exited = once(child, 'exit');
  const get = async (
    path: string,
    options: { headers?: Record<string, string>; servername?: string } = {},
  ) => {
    const sent = request(url + path, { rejectUnauthorized: false, agent: false, ...options }).end();
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    return { status: response.statusCode, body: await bodyOf(response) };
  };
  await eventually(() => get('/health/live').then(Boolean, () => false));
  return {
    url,
    httpUrl: `http://localhost:${httpPort}`,
    get,
    async stop() {
      child.kill();
      await exited;
      rmSync(folder, { recursive: true });
    },
  };
}

describe.skipIf(noCaddy)(`deploy/caddy/Caddyfile${skipped}`, () => {
  let platform: Awaited<ReturnType<typeof startUpstream>>;
  let gateway: Awaited<ReturnType<typeof startGateway>>;
  let caddy: Awaited<ReturnType<typeof startCaddy>>;
  beforeAll(async () => {
    platform = await startUpstream();
    gateway = await startGateway({ env: { TRUST_PROXY: '127.0.0.1', UPSTREAM_PAYMENT: platform.url } });
    caddy = await startCaddy(gateway.url);
  });
  afterAll(async () => {
    await caddy?.stop();
    await gateway?.stop();
    await platform?.stop();
  });

  it('is valid for a public host, and written as Caddy formats it', () => {
    const adapt = ['adapt', '--validate', '--adapter', 'caddyfile', '--config', 'deploy/caddy/Caddyfile'];
    const adapted = spawnSync('caddy', adapt, {
      env: { ...process.env, PUBLIC_URL: 'https://accounts.example.com' },
      encoding: 'utf8',
    });
    expect(adapted.stderr).not.toContain('"level":"warn"');
    expect(adapted.status).toBe(0);
    expect(JSON.stringify(JSON.parse(adapted.stdout))).toContain('"host":["accounts.example.com"]');
    expect(spawnSync('caddy', ['fmt', '-'], { input: caddyfile, encoding: 'utf8' }).stdout).toBe(caddyfile);
  });

  it('serves the gateway over HTTPS', async () => {
    expect(await caddy.get('/health/live')).toMatchObject({ status: 200 });
  });

  it('redirects HTTP to the same path over HTTPS', async () => {
    const answer = await fetch(`${caddy.httpUrl}/sign-in?next=a`, { redirect: 'manual' });
    expect(answer.status).toBe(308);
    expect(answer.headers.get('location')).toBe(`${caddy.url}/sign-in?next=a`);
  });

  it('passes on the address of the client, not one that the client names', async () => {
    platform.received.length = 0;
    const headers = {
      'x-forwarded-for': '203.0.113.9',
      'x-forwarded-proto': 'http',
      forwarded: 'for=203.0.113.9',
    };
    expect(await caddy.get('/api/v1/payment/webhook', { headers })).toMatchObject({ status: 200 });
    expect(platform.received[0]?.headers).toMatchObject({
      'x-forwarded-for': '127.0.0.1',
      'x-forwarded-proto': 'https',
      'x-forwarded-host': new URL(caddy.url).host,
    });
    expect(platform.received[0]?.headers).not.toHaveProperty('forwarded');
  });

  it('does not reach the metrics', async () => {
    const { status, body } = await caddy.get('/metrics');
    // As for every path that nothing serves.
    expect(status).toBe(401);
    expect(JSON.parse(body)).toMatchObject({ error: { code: 'INVALID_TOKEN' } });
  });

  it('has no certificate for another host', async () => {
    await expect(caddy.get('/health/live', { servername: 'other.example' })).rejects.toThrow();
  });
});
