import type { AddressInfo } from 'node:net';
import { createServer as createTcpServer, type Socket } from 'node:net';
import { ClearTextError } from '@gatehouse/shared/outbound/clear-text';
import { getText, ResponseError } from '@gatehouse/shared/outbound/get-text';
import { createOutbound, type Outbound, type OutboundTuning } from '@gatehouse/shared/outbound/outbound';
import { PortError } from '@gatehouse/shared/outbound/ports';
import { NotPublicError } from '@gatehouse/shared/outbound/public-address';
import { reasonOf } from '@gatehouse/shared/outbound/reason';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { startHttp } from '../../fixtures/gateway.ts';
import { testConfig } from '../../fixtures/services.ts';

/** What the name servers answer. */
const NAMES: Record<string, string[]> = {
  'idp.example': ['93.184.215.14'],
  'inside.example': ['10.1.2.3'],
  'mapped.example': ['::ffff:10.1.2.3'],
  'rebound.example': ['93.184.215.14', '127.0.0.1'],
  'ldap.corp.internal': ['10.1.2.3'],
  'public.internal': ['93.184.215.14'],
  'nothing.example': [],
};

const opened: Outbound[] = [];
function outbound({
  production = false,
  networks = '',
  ...tuning
}: { production?: boolean; networks?: string } & OutboundTuning = {}): Outbound {
  const config = testConfig('user', {
    SSO_ALLOWED_NETWORKS: networks,
    ...(production && { NODE_ENV: 'production', SMTP_URL: 'smtps://mail.example' }),
  });
  const resolve = async (name: string) => NAMES[name] ?? Promise.reject(new Error('ENOTFOUND'));
  const created = createOutbound(config, { resolve, ...tuning });
  opened.push(created);
  return created;
}
afterEach(async () => {
  await Promise.all(opened.splice(0).map((each) => each.close()));
});

describe('resolve', () => {
  test.each([
    ['a public name', '', 'idp.example', ['93.184.215.14']],
    ['a public address', '', '93.184.215.14', ['93.184.215.14']],
    ['a name in an allowed network', '10.0.0.0/8', 'inside.example', ['10.1.2.3']],
    ['an IPv4-mapped address in an allowed network', '10.0.0.0/8', 'mapped.example', ['::ffff:10.1.2.3']],
    ['a local name in an allowed network', '10.0.0.0/8', 'ldap.corp.internal', ['10.1.2.3']],
    ['an IPv6 address in an allowed network', 'fd00::/8', '[fd12::1]', ['fd12::1']],
    ['localhost', '127.0.0.0/8,::1/128', 'localhost', ['127.0.0.1', '::1']],
    ['localhost with one of its addresses', '127.0.0.0/8', 'LOCALHOST.', ['127.0.0.1']],
  ])('returns the addresses of %s', async (_what, networks, host, addresses) => {
    expect(await outbound({ networks }).resolve(host)).toEqual(addresses);
  });

  test.each([
    ['a private name', '', 'inside.example'],
    ['a private address', '', '10.1.2.3'],
    ['a private address outside the allowed networks', '192.168.0.0/16', '10.1.2.3'],
    ['an IPv4-mapped private address', '', '[::ffff:10.1.2.3]'],
    ['a name with one private address', '10.0.0.0/8', 'rebound.example'],
    ['localhost', '', 'localhost'],
    ['the metadata service of a cloud', '10.0.0.0/8', '169.254.169.254'],
    ['a local name with a public address', '10.0.0.0/8', 'public.internal'],
    ['a name without addresses', '', 'nothing.example'],
  ])('refuses %s', async (_what, networks, host) => {
    await expect(outbound({ networks }).resolve(host)).rejects.toThrow(NotPublicError);
  });

  test('refuses a public address where only allowed networks will do', async () => {
    const { resolve } = outbound({ networks: '10.0.0.0/8' });
    await expect(resolve('idp.example', { trusted: true })).rejects.toThrow(NotPublicError);
    expect(await resolve('inside.example', { trusted: true })).toEqual(['10.1.2.3']);
  });

  test('does not wait for a name server that hangs', async () => {
    const { resolve } = outbound({ resolve: () => new Promise(() => {}), resolveTimeout: 10 });
    const error = await resolve('idp.example').catch((thrown) => thrown);
    expect(reasonOf(error)).toBe('the name servers did not answer');
  });
});

describe('check', () => {
  test.each([
    ['https on a port of web servers', {}, 'https://idp.example/'],
    ['http outside production', {}, 'http://idp.example:8080/'],
    [
      'http in an allowed network in production',
      { production: true, networks: '10.0.0.0/8' },
      'http://inside.example/',
    ],
    ['any port in an allowed network', { networks: '10.0.0.0/8' }, 'https://inside.example:30443/'],
  ])('accepts %s', async (_what, settings, url) => {
    await outbound(settings).check(new URL(url));
  });

  test.each([
    ['http in production', { production: true }, 'http://idp.example/', ClearTextError],
    ['another port', {}, 'https://idp.example:25/', PortError],
    ['a private address', {}, 'https://inside.example/', NotPublicError],
    ['a private address on another port', {}, 'https://inside.example:25/', NotPublicError],
    ['a private address over http in production', { production: true }, 'http://10.1.2.3/', NotPublicError],
  ])('refuses %s', async (_what, settings, url, error) => {
    await expect(outbound(settings).check(new URL(url))).rejects.toThrow(error);
  });
});

describe('agent', () => {
  let server: Awaited<ReturnType<typeof startHttp>>;
  let requests: (string | undefined)[] = [];
  beforeAll(async () => {
    server = await startHttp((request, response) => {
      requests.push(request.url);
      if (request.url === '/redirect') return response.writeHead(302, { location: '/metadata' }).end();
      if (request.url === '/large') return response.end('x'.repeat(2 * 1024 * 1024));
      if (request.url === '/missing') return response.writeHead(404).end('no');
      if (request.url === '/hang') return;
      if (request.url === '/drip') {
        response.write('x');
        const timer = setInterval(() => response.write('x'), 5);
        return response.once('close', () => clearInterval(timer));
      }
      response.end('the metadata');
    });
  });
  afterAll(() => server.stop());
  afterEach(() => {
    requests = [];
  });
  const LOOPBACK = { networks: '127.0.0.0/8' };
  const failure = async (path: string, tuning: OutboundTuning = {}, timeout?: number) =>
    getText(
      outbound({ ...LOOPBACK, ...tuning }),
      `${server.url}${path}`,
      timeout === undefined ? {} : { timeout },
    ).then(
      () => Promise.reject(new Error('the call succeeded')),
      (error) => error,
    );

  test('reads a document', async () => {
    expect(await getText(outbound(LOOPBACK), `${server.url}/metadata`)).toEqual({
      text: 'the metadata',
      date: expect.stringMatching(/GMT$/),
    });
  });

  test.each(['127.0.0.1', '[::ffff:127.0.0.1]', 'localhost'])(
    'does not call %s unless it is allowed',
    async (host) => {
      const url = `${server.url.replace('127.0.0.1', host)}/metadata`;
      await expect(getText(outbound(), url)).rejects.toThrow(NotPublicError);
      expect(requests).toEqual([]);
    },
  );

  test('does not call a name that moves to a private address', async () => {
    let addresses = ['93.184.215.14'];
    const moving = outbound({ resolve: async () => addresses });
    const url = `http://idp.example:${new URL(server.url).port}/`;
    const { check, agent } = createOutbound(testConfig('user', { WEBHOOK_PORTS: '1-65535' }), {
      resolve: async () => addresses,
    });
    opened.push(moving);
    await check(new URL(url));
    addresses = ['127.0.0.1'];
    await expect(getText({ agent }, url)).rejects.toThrow(NotPublicError);
    await agent.destroy();
    expect(requests).toEqual([]);
  });

  test('does not follow redirects', async () => {
    const error = await failure('/redirect');
    expect(error).toBeInstanceOf(ResponseError);
    expect(error.message).toBe('the response is a redirect, which is not followed');
    expect(requests).toEqual(['/redirect']);
  });

  test('refuses a status other than 200', async () => {
    expect((await failure('/missing')).message).toBe('the response has status 404');
  });

  test('does not read a response without end', async () => {
    expect(reasonOf(await failure('/large'))).toBe('the response is too long');
  });

  test('does not wait for a server that hangs', async () => {
    // undici checks its time-outs about once a second.
    expect(reasonOf(await failure('/hang', { readTimeout: 10 }))).toBe('no response in time');
  });

  test('does not wait for a server that sends slowly', async () => {
    expect(reasonOf(await failure('/drip', {}, 50))).toBe('no complete response in time');
  });

  test('does not wait for a TLS handshake that hangs', async () => {
    const sockets = new Set<Socket>();
    const silent = createTcpServer((socket) => void sockets.add(socket)).listen(0, '127.0.0.1');
    await new Promise((resolve) => silent.once('listening', resolve));
    const url = `https://127.0.0.1:${(silent.address() as AddressInfo).port}/`;
    const error = await getText(outbound({ ...LOOPBACK, connectTimeout: 20 }), url).catch((thrown) => thrown);
    expect(reasonOf(error)).toBe('the connection timed out');
    for (const socket of sockets) socket.destroy();
    silent.close();
  });
});
