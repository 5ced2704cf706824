import { createSocket } from 'node:dgram';
import { Resolver } from 'node:dns/promises';
import { createServer } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { bounded } from '@gatehouse/shared/checks/bounded';
import { checkSamlCertificates, checkTls } from '@gatehouse/shared/checks/certificates';
import { clockFinding } from '@gatehouse/shared/checks/clock';
import { checkMailDns } from '@gatehouse/shared/checks/mail-dns';
import { checkMailClock } from '@gatehouse/shared/checks/smtp-clock';
import type { GatewayConfig } from '@gatehouse/shared/config';
import { ssoCollections } from '@gatehouse/sso/records';
import { MongoClient } from 'mongodb';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checkCaptcha } from '../../commands/gatehouse/doctor/captcha.ts';
import { checkInternetClock, checkProxy, checkUpstreams } from '../../commands/gatehouse/doctor/network.ts';
import { checkSecrets } from '../../commands/gatehouse/doctor/secrets.ts';
import { type Certificate, createCertificate } from '../fixtures/certificates.ts';
import { freshDatabase } from '../fixtures/database.ts';
import { startGateway, startHttp } from '../fixtures/gateway.ts';
import { testConfig } from '../fixtures/services.ts';

const gateway = (env: NodeJS.ProcessEnv = {}): GatewayConfig => testConfig('gateway', env);

describe('secrets', () => {
  const env = { JWT_SECRET: 'a', CAPTCHA_SECRET: 'b', MONGODB_URI: 'mongodb://gatehouse:c%20c@one,two/db' };

  test('that differ are well', () => {
    expect(checkSecrets({ ...env, SMTP_URL: 'smtp://127.0.0.1', INTERNAL_API_KEY: '' })).toMatchObject([
      { status: 'ok', found: '3 are set, each with a value of its own' },
    ]);
  });

  test.each([
    ['of two services', { INTERNAL_API_KEY: 'b' }, 'CAPTCHA_SECRET and INTERNAL_API_KEY are equal'],
    [
      'of a provider',
      { SOCIAL_GITHUB_CLIENT_SECRET: 'a' },
      'JWT_SECRET and SOCIAL_GITHUB_CLIENT_SECRET are equal',
    ],
    [
      'in an address',
      { LEGACY_LOGIN_TOKEN: 'c c' },
      'the password in MONGODB_URI and LEGACY_LOGIN_TOKEN are equal',
    ],
    [
      'in two addresses',
      { REDIS_URL: 'redis://:c%20c@redis' },
      'the password in MONGODB_URI and the password in REDIS_URL are equal',
    ],
  ])('that are equal are named without their value: %s', (_what, more, found) => {
    expect(checkSecrets({ ...env, ...more })).toMatchObject([{ status: 'warn', found }]);
    expect(checkSecrets({ ...env, ...more, NODE_ENV: 'production' })).toMatchObject([{ status: 'fail' }]);
  });
});

describe('a clock', () => {
  const at = 1_000_000;
  test.each([
    [{ asked: at, answered: at + 4_000, said: at + 3_000 }, 'ok'],
    [{ asked: at, answered: at + 10, said: at - 999, precision: 1_000 }, 'ok'],
    [{ asked: at, answered: at + 10, said: at + 1_200 }, 'warn'],
    [{ asked: at, answered: at + 10, said: at - 2_100, precision: 1_000 }, 'warn'],
    [{ asked: at, answered: at + 10, said: at - 9_000 }, 'fail'],
  ])('is judged by what the time of the answer leaves certain: %j', (reading, status) => {
    expect(clockFinding('clock', reading)).toMatchObject({ check: 'clock', status });
  });

  test('of the internet is asked only if an address is given', async () => {
    const server = await startHttp((_request, response) => {
      response.setHeader('date', new Date(at).toUTCString());
      response.end();
    });
    try {
      expect(await checkInternetClock(undefined)).toMatchObject([{ status: 'ok' }]);
      expect(await checkInternetClock(server.url, () => at)).toMatchObject([{ status: 'ok' }]);
      expect(await checkInternetClock(server.url, () => at + 10_000)).toMatchObject([{ status: 'fail' }]);
    } finally {
      await server.stop();
    }
    expect(await checkInternetClock(server.url)).toMatchObject([
      { status: 'ok', found: expect.stringContaining('not reached') },
    ]);
  });

  test.each([
    ['220 mail ESMTP Sendmail; Mon, 12 Jan 1970 13:46:40 +0000\r\n', 'ok', 'agrees with this machine'],
    ['220 mail ESMTP Sendmail; Mon, 12 Jan 1970 13:45:40 +0000\r\n', 'fail', 'away from the clock'],
    ['220 mail ESMTP\r\n', 'ok', 'does not tell the time'],
  ])('of a mail server is in its greeting: %j', async (greeting, status, found) => {
    const server = createServer((socket) =>
      socket
        .on('error', () => {})
        .resume()
        .end(greeting),
    );
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { port: number };
    try {
      expect(await checkMailClock(`smtp://127.0.0.1:${port}`, () => 1_000_000_000)).toMatchObject([
        { status, found: expect.stringContaining(found) },
      ]);
    } finally {
      await new Promise((resolve) => server.close(resolve));
    }
  });
});

test('a check that hangs or throws becomes a warning', async () => {
  expect(await bounded('slow', () => new Promise(() => {}), 10)).toMatchObject([
    { check: 'slow', status: 'warn', found: 'not checked: no result within 0.01 seconds' },
  ]);
  expect(await bounded('broken', () => Promise.reject(new Error('no')))).toMatchObject([
    { status: 'warn', found: 'not checked: no' },
  ]);
});

describe('the CAPTCHA provider', () => {
  const asked: string[] = [];
  const check = async (answer: string, env = {}) => {
    const provider = await startHttp((request, response) => {
      request.on('data', (data) => asked.push(String(data)));
      request.on('end', () => response.end(answer));
    });
    try {
      const [finding] = await checkCaptcha(
        gateway({
          CAPTCHA_PROVIDER: 'turnstile',
          CAPTCHA_SECRET: 'hunter2',
          CAPTCHA_SITE_KEY: 'the site key',
          CAPTCHA_VERIFY_URL: provider.url,
          ...env,
        }),
      );
      return finding;
    } finally {
      await provider.stop();
    }
  };

  test('that refuses only the token knows the secret', async () => {
    expect(await check('{"success":false,"error-codes":["invalid-input-response"]}')).toMatchObject({
      status: 'ok',
      found: 'turnstile accepts the secret',
    });
    expect(asked.at(-1)).toBe('secret=hunter2&response=gatehouse-doctor');
  });

  test.each(['invalid-input-secret', 'missing-input-secret', 'sitekey-secret-mismatch'])(
    'that answers %s does not',
    async (code) => {
      const finding = await check(`{"success":false,"error-codes":["${code}"]}`);
      expect(finding).toMatchObject({ status: 'fail', found: 'turnstile does not know CAPTCHA_SECRET' });
      expect(JSON.stringify(finding)).not.toContain('hunter2');
    },
  );

  test.each(['<html>', 'null', '{"error-codes":[]}', '{"success":false,"error-codes":"x"}'])(
    'that answers %s is none',
    async (answer) => {
      expect(await check(answer)).toMatchObject({
        status: 'fail',
        found: expect.stringContaining('not as agreed'),
      });
    },
  );

  test('needs a site key for the pages', async () => {
    expect(await check('{"success":false}', { CAPTCHA_SITE_KEY: '' })).toMatchObject({ status: 'warn' });
  });

  test('that cannot be reached fails; ALTCHA asks nobody', async () => {
    const env = { CAPTCHA_PROVIDER: 'hcaptcha', CAPTCHA_VERIFY_URL: 'http://127.0.0.1:1' };
    expect(await checkCaptcha(gateway(env))).toMatchObject([
      { status: 'fail', found: 'hcaptcha cannot be reached: the connection was refused' },
    ]);
    expect(await checkCaptcha(gateway())).toMatchObject([{ status: 'ok' }]);
  });
});

test('upstreams are reached, whatever they answer; services must be ours', async () => {
  const platform = await startHttp((_request, response) => response.writeHead(500).end());
  try {
    const config = gateway({
      LOGIN_SERVICE_URL: platform.url,
      USER_SERVICE_URL: 'http://127.0.0.1:1',
      UPSTREAM_CHAT_TEXT: platform.url,
      UPSTREAM_LLM: 'http://127.0.0.1:1',
    });
    expect(await checkUpstreams(config)).toMatchObject([
      { check: 'LOGIN_SERVICE_URL', status: 'fail', found: 'answers 500, so it is no service of Gatehouse' },
      { check: 'USER_SERVICE_URL', status: 'fail', found: 'cannot be reached: the connection was refused' },
      { check: 'UPSTREAM_CHAT_TEXT', status: 'ok' },
      { check: 'UPSTREAM_LLM', status: 'warn', found: 'cannot be reached: the connection was refused' },
    ]);
  } finally {
    await platform.stop();
  }
});

describe('trust in proxies', () => {
  const check = async (env: NodeJS.ProcessEnv) => {
    const running = await startGateway({ env });
    try {
      return await checkProxy({ ...gateway(), PUBLIC_URL: running.url });
    } finally {
      await running.stop();
    }
  };

  test('in nobody is well', async () => {
    expect(await check({})).toMatchObject([
      { check: 'PUBLIC_URL', status: 'ok' },
      { check: 'TRUST_PROXY', status: 'ok', found: 'a forged X-Forwarded-For changes nothing' },
    ]);
  });

  test('in everybody fails', async () => {
    expect(await check({ TRUST_PROXY: 'true' })).toMatchObject([
      { check: 'PUBLIC_URL', status: 'ok' },
      { check: 'TRUST_PROXY', status: 'fail', found: expect.stringContaining('203.0.113.77') },
    ]);
  });

  test('cannot be judged where no gateway answers', async () => {
    expect(await checkProxy(gateway({ PUBLIC_URL: 'http://127.0.0.1:1' }))).toMatchObject([
      { check: 'PUBLIC_URL', status: 'warn' },
    ]);
    const other = await startHttp((_request, response) => response.end('hello'));
    try {
      expect(await checkProxy(gateway({ PUBLIC_URL: other.url }))).toMatchObject([
        { status: 'warn', found: 'answers, but not as a gateway does' },
      ]);
    } finally {
      await other.stop();
    }
  });
});

describe('mail DNS', () => {
  const server = createSocket('udp4');
  const zone: Record<string, string[]> = {};
  const resolver = new Resolver({ timeout: 60_000, tries: 1 });
  beforeAll(async () => {
    server.on('message', (query, { port, address }) => server.send(answerOf(query, zone), port, address));
    await new Promise<void>((resolve) => server.bind(0, '127.0.0.1', resolve));
    resolver.setServers([`127.0.0.1:${server.address().port}`]);
  });
  afterAll(() => new Promise<void>((resolve) => server.close(() => resolve())));

  const check = async (records: Record<string, string[]>, dkimSelector?: string) => {
    for (const name of Object.keys(zone)) delete zone[name];
    Object.assign(zone, records);
    const findings = await checkMailDns(
      { MAIL_FROM: testConfig('user', { MAIL_FROM: 'Acme <no-reply@mail.example>' }).MAIL_FROM },
      { resolveTxt: (name) => resolver.resolveTxt(name), dkimSelector },
    );
    return Object.fromEntries(findings.map(({ check: name, status, found }) => [name, [status, found]]));
  };

  test('that is complete is well', async () => {
    const records = {
      'mail.example': ['some-site-verification=1', 'v=spf1 include:provider.example -all'],
      'key1._domainkey.mail.example': ['v=DKIM1; k=rsa; p=MIIB'],
      '_dmarc.mail.example': ['v=DMARC1; p=quarantine; rua=mailto:x@mail.example'],
    };
    expect(await check(records, 'key1')).toStrictEqual({
      SPF: ['ok', 'mail.example has a record'],
      DKIM: ['ok', 'there is a key at key1._domainkey.mail.example'],
      DMARC: ['ok', 'the policy of mail.example is quarantine'],
    });
  });

  test('that lacks everything is named', async () => {
    expect(await check({}, 'key1')).toMatchObject({
      SPF: ['warn', 'mail.example has no record: codes may end up as spam'],
      DKIM: ['warn', 'there is no key at key1._domainkey.mail.example'],
      DMARC: ['warn', 'mail.example has no policy: anybody can send codes in its name'],
    });
    expect((await check({})).DKIM).toMatchObject(['ok', expect.stringContaining('--dkim-selector')]);
  });

  test.each([
    ['SPF', { 'mail.example': ['v=spf1 -all', 'v=spf1 ~all'] }, 'has 2 records'],
    ['SPF', { 'mail.example': ['v=spf1 +all'] }, 'lets everybody send'],
    ['SPF', { 'mail.example': ['v=spf1 all'] }, 'lets everybody send'],
    ['DKIM', { 'key1._domainkey.mail.example': ['v=DKIM1; p='] }, 'is revoked'],
    ['DMARC', { '_dmarc.mail.example': ['v=DMARC1; p=none'] }, 'is none'],
  ])('%s %j is a warning', async (name, records, found) => {
    expect((await check(records, 'key1'))[name]).toMatchObject(['warn', expect.stringContaining(found)]);
  });

  test('of a laptop is not looked up', async () => {
    expect(
      await checkMailDns(testConfig('user'), { resolveTxt: () => Promise.reject(new Error('asked')) }),
    ).toMatchObject([{ status: 'ok' }]);
  });
});

describe('certificates', () => {
  const DAY = 86_400_000;
  let authority: Certificate;
  beforeAll(async () => {
    authority = await createCertificate({ name: 'authority', kind: 'ec', days: 4_000, isAuthority: true });
  });

  const check = async (ca: string | undefined, now?: () => number) => {
    const { certificate: cert, privateKey: key } = await createCertificate({
      kind: 'ec',
      days: 100,
      hosts: ['127.0.0.1'],
      issuer: authority,
    });
    const server = createTlsServer({ cert, key }, (socket) => socket.on('error', () => {}).end());
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { port: number };
    try {
      return (await checkTls(`https://127.0.0.1:${port}`, ca, now))[0];
    } finally {
      await new Promise((resolve) => server.close(resolve));
    }
  };
  const after = (days: number) => () => Date.now() + days * DAY + 60_000;

  test.each([
    [0, 'ok', 'is valid for 99 days more'],
    [85, 'warn', 'is valid for 14 days more'],
    [98, 'fail', 'is valid for 1 days more'],
    [101, 'fail', 'has expired'],
  ])('after %i days: %s', async (days, status, found) => {
    expect(await check(authority.certificate, after(days))).toMatchObject({
      status,
      found: expect.stringContaining(found),
    });
  });

  test('that browsers refuse fail', async () => {
    expect(await check(undefined)).toMatchObject({
      status: 'fail',
      found: expect.stringContaining('browsers refuse'),
    });
    expect(await checkTls('https://127.0.0.1:1')).toMatchObject([{ status: 'warn' }]);
    expect(await checkTls('http://127.0.0.1:1')).toMatchObject([{ status: 'ok' }]);
  });

  test('of SAML providers are read from their connections; the one that lasts longest counts', async () => {
    const fresh = await freshDatabase(ssoCollections);
    const client = await MongoClient.connect(fresh.uri);
    try {
      expect(await checkSamlCertificates(client.db())).toMatchObject([{ status: 'ok' }]);
      const pem = async (days: number) => (await createCertificate({ kind: 'ec', days })).certificate;
      const connection = async (name: string, certificates: string[]) =>
        fresh.db.ssoConnections.insertOne({
          connection_id: name,
          organization_id: name,
          slot: 1,
          slug: name,
          name,
          enabled: true,
          saml: { idp_entity_id: name, certificates },
        } as never);
      await connection('renewed', [await pem(-5), await pem(300)]);
      await connection('late', [await pem(10)]);
      await connection('over', [await pem(-5)]);
      const found = await checkSamlCertificates(client.db());
      expect(found.map(({ status }) => status).sort()).toStrictEqual(['fail', 'ok', 'warn']);
      expect(found).toContainEqual(
        expect.objectContaining({ found: 'that of the connection "over" has expired' }),
      );
    } finally {
      await client.close();
      await fresh.drop();
    }
  });
});

/** Answers a query for TXT records (RFC 1035 §4), with NXDOMAIN for names that are not in the zone. */
function answerOf(query: Buffer, zone: Record<string, string[]>): Buffer {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  const question = query.subarray(12, at + 5);
  const texts = zone[labels.join('.').toLowerCase()];
  const header = Buffer.alloc(12);
  query.copy(header, 0, 0, 2);
  header.writeUInt16BE(texts ? 0x8180 : 0x8183, 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(texts?.length ?? 0, 6);
  const records = (texts ?? []).map((text) => {
    const fixed = Buffer.from([0xc0, 0x0c, 0, 16, 0, 1, 0, 0, 0, 0, 0, text.length + 1, text.length]);
    return Buffer.concat([fixed, Buffer.from(text, 'latin1')]);
  });
  return Buffer.concat([header, question, ...records]);
}
