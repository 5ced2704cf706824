import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { createSecureContext, TLSSocket } from 'node:tls';
import type { LdapSettings } from '@gatehouse/sso/connection-records';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { SsoOptions } from '../../../packages/sso/dependencies.ts';
import type { LdapConnection } from '../../../packages/sso/ldap/directory.ts';
import { withDirectory } from '../../../packages/sso/ldap/failover.ts';
import { eventsOf } from '../../fixtures/audit.ts';
import { type Certificate, createCertificate } from '../../fixtures/certificates.ts';
import { eventually } from '../../fixtures/eventually.ts';
import { postJson } from '../../fixtures/http.ts';
import { testConfig } from '../../fixtures/services.ts';
import { type SsoService, startSsoService } from '../sso-service.ts';
import { bindSuccess, startFakeDirectory, startTlsResponse } from './fake-directory.ts';

const PATIENT = { connectTimeout: 60_000, operationTimeout: 60_000, totalTimeout: 60_000 };

let service: SsoService;
/** Its time-outs expire at once. */
let impatient: SsoService;
let authority: Certificate;
let server: Certificate;
beforeAll(async () => {
  service = await startSsoService({ ldap: PATIENT });
  impatient = await startSsoService({ ldap: { connectTimeout: 50, operationTimeout: 50 } });
  authority = await createCertificate({ name: 'Corp CA', isAuthority: true });
  server = await createCertificate({ hosts: ['127.0.0.1'], issuer: authority });
});
afterAll(async () => {
  await service.stop();
  await impatient.stop();
});

let directory: Awaited<ReturnType<typeof startFakeDirectory>>;
afterEach(() => directory.stop());

/** Logs in at the fake directory. @returns the status and the detail for the operator. */
async function logIn({
  settings = {},
  password = 'a secret',
  at = service,
}: {
  settings?: Partial<LdapSettings>;
  password?: string;
  at?: SsoService;
} = {}) {
  const corp = await at.newOrganization({ domain: null });
  const ldap: LdapSettings = {
    url: directory.url,
    start_tls: false,
    ca: authority.certificate,
    bind_dn: null,
    bind_password: null,
    base_dn: null,
    user_filter: null,
    user_dn: 'uid={username},dc=corp,dc=example',
    ...settings,
  };
  const { slug } = await at.newConnection(corp, { protocol: 'ldap', ldap });
  let status = 0;
  const [event] = await eventsOf(at, async () => {
    const body = { connection: slug, username: 'ada', password };
    ({ status } = await postJson(`${at.url}/api/v1/auth/ldap`, body));
  });
  expect(await at.db.ssoIdentities.countDocuments()).toBe(0);
  return { status, detail: event?.after?.detail };
}

/** Answers StartTLS, then speaks TLS. */
const secured = (
  socket: Socket,
  certificate: Certificate,
  onData: (tls: TLSSocket, data: string | Buffer) => void,
) =>
  socket.once('data', () => {
    socket.write(startTlsResponse());
    speakTls(socket, certificate, onData);
  });
function speakTls(
  socket: Socket,
  certificate: Certificate,
  onData: (tls: TLSSocket, data: string | Buffer) => void,
) {
  const secureContext = createSecureContext({ cert: certificate.certificate, key: certificate.privateKey });
  const tls = new TLSSocket(socket, { isServer: true, secureContext });
  tls.on('error', () => {}).on('data', (data) => onData(tls, data));
}

test.each([
  ['an empty password', '', 400],
  ['a password with NUL', 'a\u0000b', 401],
])('refuses %s before it connects', async (_what, password, status) => {
  directory = await startFakeDirectory(() => {});
  expect((await logIn({ password })).status).toBe(status);
  expect(directory.connections).toBe(0);
});

test('asks the next directory when one cannot be reached or closes the connection, until one refuses', async () => {
  directory = await startFakeDirectory((socket) => void socket.once('data', () => socket.destroy()));
  // invalidCredentials
  const refusing = await startFakeDirectory((socket) =>
    socket.once('data', () => {
      const refusal = bindSuccess(2);
      refusal[9] = 49;
      socket.write(refusal);
    }),
  );
  const unused = await startFakeDirectory(() => {});
  const settings = {
    url: 'ldap://127.0.0.1:1',
    fallback_urls: [directory.url, refusing.url, unused.url],
    ca: null,
  };
  const { status, detail } = await logIn({ settings });
  await refusing.stop();
  await unused.stop();
  expect([status, detail]).toEqual([401, expect.stringMatching(/cannot bind: InvalidCredentials/)]);
  expect([directory.connections, refusing.connections, unused.connections]).toEqual([1, 1, 0]);
});

describe('a directory that hangs', () => {
  test.each<[string, (socket: Socket) => void, Partial<LdapSettings>]>([
    ['during a bind', (socket) => void socket.resume(), {}],
    ['during StartTLS', (socket) => void socket.resume(), { start_tls: true }],
    [
      'during the TLS handshake',
      (socket) => void socket.once('data', () => socket.write(startTlsResponse())),
      { start_tls: true },
    ],
    ['during the search', (socket) => void socket.once('data', () => socket.write(bindSuccess(2))), {}],
  ])('%s is given up and the connection closed', async (_what, onConnection, settings) => {
    directory = await startFakeDirectory(onConnection);
    const result = await logIn({ settings, at: impatient });
    expect(result).toEqual({ status: 503, detail: expect.stringMatching(/timed out|took too long/) });
    await eventually(() => directory.open === 0);
    expect(directory.connections).toBe(1);
  });

  test('or sends without end is given up', async () => {
    directory = await startFakeDirectory((socket) => {
      // The beginning of a message of 2 GiB.
      socket.once('data', () => socket.write(Buffer.from([0x30, 0x84, 0x7f, 0xff, 0xff, 0xff])));
      socket.on('drain', () => socket.write(Buffer.alloc(256 * 1024)));
      socket.once('data', () => socket.write(Buffer.alloc(2 * 1024 * 1024)));
    });
    expect((await logIn()).status).toBe(503);
    await eventually(() => directory.open === 0);
  });

  test('or answers nonsense is given up', async () => {
    directory = await startFakeDirectory((socket) => {
      socket.once('data', () => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
    });
    expect((await logIn()).status).toBe(503);
    await eventually(() => directory.open === 0);
  });
});

describe('TLS', () => {
  /** What the directory receives of the password. */
  let seen = '';
  const record = (_tls: unknown, data: string | Buffer) => {
    seen += data.toString('latin1');
  };

  test.each<[string, () => Promise<Certificate>, RegExp]>([
    ['of another authority', () => createCertificate({ hosts: ['127.0.0.1'] }), /^TLS failed/],
    [
      'of another host',
      () => createCertificate({ hosts: ['ldap.other.example'], issuer: authority }),
      /^TLS failed \(ERR_TLS_CERT_ALTNAME_INVALID\)/,
    ],
    [
      'that has expired',
      () => createCertificate({ hosts: ['127.0.0.1'], issuer: authority, days: -1 }),
      /^TLS failed \(CERT_HAS_EXPIRED\)/,
    ],
  ])('a certificate %s ends the login before the password is sent', async (_what, create, detail) => {
    const certificate = await create();
    for (const start_tls of [true, false]) {
      seen = '';
      directory = await startFakeDirectory((socket) =>
        start_tls ? secured(socket, certificate, record) : speakTls(socket, certificate, record),
      );
      const url = start_tls ? directory.url : directory.url.replace('ldap:', 'ldaps:');
      expect(await logIn({ settings: { url, start_tls } })).toEqual({
        status: 503,
        detail: expect.stringMatching(detail),
      });
      expect(seen).not.toContain('a secret');
      if (start_tls) await directory.stop();
    }
  });

  test('a directory that refuses StartTLS does not get the password', async () => {
    directory = await startFakeDirectory((socket) => {
      socket.on('data', (data) => {
        seen += data.toString('latin1');
      });
      socket.once('data', () => socket.write(startTlsResponse(52)));
    });
    expect(await logIn({ settings: { start_tls: true } })).toEqual({
      status: 503,
      detail: 'the server refuses StartTLS (result 52)',
    });
    expect(seen).not.toContain('a secret');
  });

  test('bytes behind the response to StartTLS end the login', async () => {
    directory = await startFakeDirectory((socket) => {
      socket.once('data', () => {
        socket.write(Buffer.concat([startTlsResponse(), bindSuccess(2)]));
        speakTls(socket, server, (tls) => tls.destroy());
      });
    });
    expect(await logIn({ settings: { start_tls: true } })).toEqual({
      status: 503,
      detail: 'the server sends more than the response to StartTLS',
    });
  });

  test('a lost connection is not opened again without TLS', async () => {
    seen = '';
    let secrets = '';
    directory = await startFakeDirectory((socket, turn) => {
      if (turn > 1) return socket.on('data', (data) => record(socket, data));
      secured(socket, server, (tls, data) => {
        secrets += data.toString('latin1');
        tls.destroy();
      });
    });
    expect((await logIn({ settings: { start_tls: true } })).status).toBe(503);
    expect(secrets).toContain('a secret');
    expect([directory.connections, seen]).toEqual([1, '']);
  });
});

test('looking a name up counts as part of the time of a directory', async () => {
  directory = await startFakeDirectory(() => {});
  const { port } = new URL(directory.url);
  const slow = {
    config: testConfig('user'),
    secrets: service.secrets,
    ldap: { connectTimeout: 500, operationTimeout: 60_000, totalTimeout: 500 },
    outbound: {
      resolve: async () => {
        await sleep(800);
        return ['127.0.0.1'];
      },
    } as unknown as SsoOptions['outbound'],
  };
  const settings = { url: `ldap://ldap.corp.example:${port}`, start_tls: false, ca: null } as LdapSettings;
  const work = withDirectory(slow, { ldap: settings } as LdapConnection, () => sleep(450, 'done'));
  await expect(work).rejects.toThrow('the directory took too long');
});

test('a directory that names nobody after a bind logs nobody in', async () => {
  directory = await startFakeDirectory((socket) => {
    socket.once('data', () => {
      socket.write(bindSuccess(2));
      // A SearchResultDone without entries.
      socket.once('data', () =>
        socket.write(
          Buffer.from([0x30, 0x0c, 0x02, 0x01, 0x03, 0x65, 0x07, 0x0a, 0x01, 0x00, 0x04, 0x00, 0x04, 0x00]),
        ),
      );
    });
  });
  expect(await logIn()).toEqual({
    status: 503,
    detail: expect.stringContaining('may not read their own entry'),
  });
});

describe('the address of a directory', () => {
  test.each<[string, NodeJS.ProcessEnv, Partial<LdapSettings>]>([
    ['private', { SSO_ALLOWED_NETWORKS: '10.0.0.0/8' }, {}],
    ['the metadata service of a cloud', {}, { url: 'ldap://169.254.169.254:80' }],
    ['public on another port', {}, { url: 'ldaps://93.184.215.14:25' }],
  ])('is checked when it is dialed: %s', async (_what, env, settings) => {
    directory = await startFakeDirectory(() => {});
    const strict = await startSsoService({ env });
    try {
      expect(await logIn({ settings, at: strict })).toEqual({
        status: 503,
        detail: 'the address is not public',
      });
      expect(directory.connections).toBe(0);
    } finally {
      await strict.stop();
    }
  });
});
