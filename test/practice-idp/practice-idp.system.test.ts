import { createPrivateKey } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseEnv } from 'node:util';
import { type PracticeIdp, startPracticeIdp } from '@gatehouse/practice-idp/practice-idp';
import { createSigningKey, loadSigningKey } from '@gatehouse/practice-idp/signing-key';
import { Client } from 'ldapts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { postForm, postJson, send } from '../fixtures/http.ts';
import { createProcesses } from '../fixtures/processes.ts';
import { callsWith } from '../sso/continue/sessions.ts';
import { locationOf, newBrowser } from '../sso/oidc/oidc-service.ts';
import { type SsoService, startSsoService } from '../sso/sso-service.ts';
import { atProvider } from './at-provider.ts';

const GATEHOUSE = 'http://localhost:8000';

let service: SsoService;
let practice: PracticeIdp;
let organization: Awaited<ReturnType<SsoService['newOrganization']>>;
beforeAll(async () => {
  service = await startSsoService();
  practice = await startPracticeIdp({
    port: 0,
    ldapPort: 0,
    gatehouse: GATEHOUSE,
    key: await createSigningKey(),
  });
  organization = await service.newOrganization({ domain: 'practice.test' });
});
afterAll(async () => {
  await practice.stop();
  await service.stop();
});

/** Creates a connection as printed. */
async function connect(protocol: keyof PracticeIdp['connections']) {
  const { organization_id } = organization;
  const body = { organization_id, ...practice.connections[protocol] };
  const { status, body: connection } = await organization.owner.call('POST', '/api/v1/sso/connections', body);
  expect({ status, connection }).toMatchObject({ status: 201 });
  return connection;
}

/** The provider and the services agree on the time. */
const syncClock = () => service.clock.advance(Math.floor((Date.now() - service.clock.now()) / 1000));

/** The fields and the target of the form on a page. */
function formOf(html: string) {
  const attributes = (tag: string): Record<string, string> =>
    Object.fromEntries(
      [...tag.matchAll(/([a-z]+)="([^"]*)"/g)].map(([, name, value]) => [
        name,
        String(value)
          .replaceAll('&quot;', '"')
          .replaceAll('&lt;', '<')
          .replaceAll('&gt;', '>')
          .replaceAll('&amp;', '&'),
      ]),
    );
  const fields = [...html.matchAll(/<input type="hidden"[^>]*>/g)].map(([tag]) => attributes(tag));
  return {
    action: String(attributes(/<form[^>]*>/.exec(html)?.[0] ?? '').action),
    fields: Object.fromEntries(fields.map(({ name, value }) => [String(name), String(value)])),
  };
}

/** Exchanges the code at the end of a login. */
async function tokenOf(browser: ReturnType<typeof newBrowser>, end: string): Promise<string> {
  const code = new URL(end).hash.replace('#code=', '');
  return (await browser.post('/api/v1/auth/sso/exchange', { code })).body.access_token;
}

/** @returns the profile of the caller at the end of a login. */
async function profileOf(browser: ReturnType<typeof newBrowser>, end: string) {
  const headers = { authorization: `Bearer ${await tokenOf(browser, end)}` };
  return (await send(`${service.url}/api/v1/users/me`, { headers })).body;
}

describe('OpenID Connect', () => {
  beforeAll(async () => {
    await connect('oidc');
  });

  /** Begins a login. @returns how to end it with a password. */
  async function beginLogin() {
    syncClock();
    const browser = newBrowser(service);
    const cookies = new Map<string, string>();
    const start = locationOf(await browser('/oauth/login/practice-oidc'));
    const login = new URL(locationOf(await atProvider(start, undefined, cookies)), practice.base).href;
    return {
      browser,
      page: () => atProvider(login, undefined, cookies),
      submit: (username: string, password: string) => atProvider(login, { username, password }, cookies),
      /** @returns where the login ends. */
      async end(right: Awaited<ReturnType<typeof atProvider>>): Promise<string> {
        const answer = locationOf(await atProvider(locationOf(right), undefined, cookies));
        expect(answer).toMatch(/^http:\/\/localhost:8000\/oauth\/callback\?/);
        return locationOf(await browser(answer));
      },
    };
  }

  test('logs Ada in after a wrong password', async () => {
    const login = await beginLogin();
    expect((await login.page()).body).toContain('ada@practice.test');
    const wrong = await login.submit('ada', 'wrong');
    expect({ status: wrong.status, body: wrong.body }).toEqual({
      status: 401,
      body: expect.stringContaining('The password is wrong.'),
    });
    const end = await login.end(await login.submit('ada', 'ada-practice'));
    expect(await profileOf(login.browser, end)).toMatchObject({
      email: 'ada@practice.test',
      name: 'Ada Lovelace',
    });
  });

  test.each(['disabled', 'deleted', 'revoke'])('a session ends at its refresh after `%s`', async (action) => {
    const calls = callsWith(service);
    const login = await beginLogin();
    const end = await login.end(await login.submit('linus', 'linus-practice'));
    const first = await tokenOf(login.browser, end);
    const { status, body } = await calls.refresh(first);
    expect(status).toBe(200);
    await postForm(`${practice.base}/people`, { uid: 'linus', action });
    expect((await calls.refresh(body.access_token)).status).toBe(401);
    expect(await calls.status(first)).toBe(401);
    await postForm(`${practice.base}/people`, { uid: 'linus', action: 'active' });
  });
});

describe('SAML', () => {
  test('logs Grace in after a wrong password', async () => {
    await connect('saml');
    syncClock();
    const browser = newBrowser(service);
    const start = locationOf(await browser('/saml/login/practice-saml'));
    const { action, fields } = formOf((await send(start)).body);
    const login = new URL(action, practice.base).href;
    const wrong = await postForm(login, { ...fields, username: 'grace', password: 'wrong' });
    expect(wrong.status).toBe(401);
    const right = await postForm(login, { ...fields, username: 'grace', password: 'grace-practice' });
    const response = formOf(right.body);
    expect(response.action).toBe(`${GATEHOUSE}/saml/acs`);
    const end = await browser.submit('/saml/acs', response.fields);
    expect(await profileOf(browser, locationOf(end))).toMatchObject({
      email: 'grace@practice.test',
      name: 'Grace Hopper',
    });
  });

  test('answers no service but this one', async () => {
    const { status, body } = await send(`${practice.base}/saml/sso?SAMLRequest=bm9uZQ%3D%3D`);
    expect({ status, body }).toEqual({ status: 400, body: expect.stringContaining('cannot be read') });
  });
});

describe('LDAP', () => {
  const { bind_dn, bind_password, base_dn } = {
    bind_dn: 'cn=gatehouse,dc=practice,dc=test',
    bind_password: 'practice-bind-password',
    base_dn: 'dc=practice,dc=test',
  };
  async function withClient<T>(use: (client: Client) => Promise<T>): Promise<T> {
    const client = new Client({ url: practice.connections.ldap.ldap.url });
    try {
      return await use(client);
    } finally {
      await client.unbind();
    }
  }

  test('logs Linus in after a wrong password', async () => {
    await connect('ldap');
    const logIn = (password: string) =>
      postJson(`${service.url}/api/v1/auth/ldap`, {
        connection: 'practice-ldap',
        username: 'linus',
        password,
      });
    expect((await logIn('wrong')).status).toBe(401);
    const { body } = await logIn('linus-practice');
    const headers = { authorization: `Bearer ${body.access_token}` };
    expect((await send(`${service.url}/api/v1/users/me`, { headers })).body).toMatchObject({
      email: 'linus@practice.test',
      name: 'Linus Torvalds',
    });
  });

  test('finds a person and binds as them', async () => {
    const entries = await withClient(async (client) => {
      await client.bind(bind_dn, bind_password);
      return (
        await client.search(base_dn, { filter: '(&(objectClass=inetOrgPerson)(uid=LINUS))', paged: true })
      ).searchEntries;
    });
    expect(entries).toMatchObject([
      { dn: 'uid=linus,ou=people,dc=practice,dc=test', mail: 'linus@practice.test', role: 'Viewer' },
    ]);
    await withClient((client) => client.bind(String(entries[0]?.dn), 'linus-practice'));
  });

  test.each([
    ['a wrong password', bind_dn, 'wrong'],
    ['an empty password', bind_dn, ''],
    ['an unknown name', 'cn=nobody', 'practice-bind-password'],
  ])('refuses %s', async (_name, dn, password) => {
    await withClient((client) => expect(client.bind(dn, password)).rejects.toMatchObject({ code: 49 }));
  });

  test.each([
    ['base', '(objectClass=*)', ['dc=practice,dc=test']],
    ['sub', '(mail=*)', ['ada', 'grace', 'linus'].map((uid) => `uid=${uid},ou=people,dc=practice,dc=test`)],
    ['sub', '(manager=*)', []],
  ] as const)('finds entries of scope %s by %s', async (scope, filter, names) => {
    const { searchEntries } = await withClient(async (client) => {
      await client.bind(bind_dn, bind_password);
      return client.search(base_dn, { scope, filter, attributes: ['1.1'] });
    });
    expect(searchEntries.map(({ dn }) => dn)).toEqual(names);
  });

  test('finds nothing before a bind', async () => {
    await withClient((client) => expect(client.search(base_dn)).rejects.toMatchObject({ code: 50 }));
  });

  test('changes nothing', async () => {
    await withClient(async (client) => {
      await client.bind(bind_dn, bind_password);
      await expect(client.del(`uid=ada,ou=people,${base_dn}`)).rejects.toMatchObject({ code: 53 });
    });
  });
});

describe('npm run practice-idp', () => {
  const script = fileURLToPath(import.meta.resolve('@gatehouse/practice-idp/main'));
  let folder: string;
  let args: string[];
  const processes = createProcesses<'practice-idp' | 'second'>(() => ({
    script,
    args,
    env: { DATA_DIR: folder },
  }));
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'practice-idp-'));
  });
  afterAll(async () => {
    await processes.end('practice-idp');
    await rm(folder, { recursive: true });
  });

  test('prints the connections, keeps its key, and stops on SIGTERM', async () => {
    args = ['--port', '0', '--ldap-port', '0', '--gatehouse', 'https://gate.example/'];
    const certificates: (string | undefined)[] = [];
    for (let start = 0; start < 2; start += 1) {
      await processes.start('practice-idp');
      const url = [...processes.output().matchAll(/SAML +(http:\S+)/g)].at(-1)?.[1];
      const { body } = await send(String(url));
      certificates.push(/<ds:X509Certificate>([^<]+)/.exec(body)?.[1]);
      expect(await processes.end('practice-idp', 'SIGTERM')).toBe(0);
    }
    expect(certificates).toEqual([certificates[0], certificates[0]]);
    expect(certificates[0]).toMatch(/^MII/);
    expect(processes.output()).toContain(
      `curl https://gate.example/api/v1/sso/connections -H "authorization: Bearer $TOKEN"`,
    );
    expect(processes.output()).toContain('"client_id":"gatehouse"');
  });

  test('prints settings that Node reads from an .env file, and keeps the key of Apple', async () => {
    args = ['--port', '0', '--ldap-port', '0'];
    const settings: NodeJS.Dict<string>[] = [];
    for (let start = 0; start < 2; start += 1) {
      await processes.start('practice-idp');
      settings.push(parseEnv(processes.output().slice(processes.output().lastIndexOf('SOCIAL_PROVIDERS='))));
      await processes.end('practice-idp', 'SIGTERM');
    }
    const [first, second] = settings;
    expect(first).toMatchObject({
      SOCIAL_PROVIDERS: 'google,apple,microsoft,github,gitlab',
      SOCIAL_GOOGLE_ISSUER: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/google$/),
      SOCIAL_GITHUB_CLIENT_SECRET: expect.any(String),
      SOCIAL_GITLAB_CLIENT_ID: 'gatehouse',
    });
    const key = createPrivateKey(String(first?.SOCIAL_APPLE_PRIVATE_KEY));
    expect(key.asymmetricKeyDetails).toEqual({ namedCurve: 'prime256v1' });
    expect(second?.SOCIAL_APPLE_PRIVATE_KEY).toBe(first?.SOCIAL_APPLE_PRIVATE_KEY);
  });

  test('adds the key of Apple to a file of an earlier version', async () => {
    const file = join(folder, 'practice-idp.json');
    const { appleKey: _, ...earlier } = JSON.parse(await readFile(file, 'utf8'));
    await writeFile(file, JSON.stringify(earlier));
    const key = await loadSigningKey(file);
    expect(key).toEqual({ ...earlier, appleKey: expect.stringContaining('PRIVATE KEY') });
    expect(JSON.parse(await readFile(file, 'utf8'))).toEqual(key);
  });

  test('says in one line that a port is taken', async () => {
    args = ['--port', new URL(practice.base).port, '--ldap-port', '0'];
    await expect(processes.start('second')).rejects.toThrow(/practice-idp: listen EADDRINUSE/);
  });

  test('refuses a port that is none', async () => {
    args = ['--port', '99999'];
    await expect(processes.start('second')).rejects.toThrow(
      'practice-idp: --port must be a port, 0 to 65535',
    );
  });
});
