import { describe, expect, test } from 'vitest';
import { auditEvent, eventsOf } from '../../fixtures/audit.ts';
import { locationOf, newBrowser, type OidcService } from './oidc-service.ts';
import { ADA, CLIENT_ID, CLIENT_SECRET, newKey, type Provider, startProvider } from './provider.ts';
import { type WithProvider, withProvider } from './with-provider.ts';

let service: OidcService;
let provider: Provider;
let organization: WithProvider['organization'];
withProvider((started) => {
  ({ service, provider, organization } = started);
});

const connect = (...fields: [Parameters<OidcService['connect']>[2]?]) =>
  service.connect(organization, provider, ...fields);

describe('GET /oauth/login/{slug}', () => {
  test('redirects to the provider with PKCE, a state and a nonce', async () => {
    const connection = await connect();
    const begun = await newBrowser(service)(`/oauth/login/${connection.slug}`);
    expect(begun.status).toBe(303);
    expect(begun.headers.get('cache-control')).toBe('no-store');
    expect(begun.headers.get('set-cookie')).toMatch(
      /^gatehouse-sso=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax/,
    );
    const target = new URL(locationOf(begun));
    expect(target.origin + target.pathname).toBe(`${provider.issuer}/auth`);
    expect(Object.fromEntries(target.searchParams)).toEqual({
      client_id: CLIENT_ID,
      response_type: 'code',
      redirect_uri: 'http://localhost:8000/oauth/callback',
      scope: 'openid email profile',
      state: expect.stringMatching(/^[\w-]{43}$/),
      nonce: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 'S256',
    });
  });

  test('asks for a fresh proof with prompt=login, and verifies that the provider has done it', async () => {
    const { slug } = await connect();
    async function stepUp(auth_time: number | undefined) {
      provider.person = { ...ADA, auth_time };
      const browser = newBrowser(service);
      const begun = locationOf(await browser(`/oauth/login/${slug}?prompt=login`));
      expect(Object.fromEntries(new URL(begun).searchParams)).toMatchObject({
        prompt: 'login',
        max_age: '0',
      });
      return browser(locationOf(await browser(begun)));
    }
    const now = service.clock.seconds();
    expect((await stepUp(now)).status).toBe(303);
    const refusal = { status: 403, outcome: 'message refused' };
    await service.expectRefusal(() => stepUp(now - 61), { ...refusal, detail: /asked for a fresh proof at/ });
    await service.expectRefusal(() => stepUp(undefined), { ...refusal, detail: /does not say/ });
    expect((await newBrowser(service)(`/oauth/login/${slug}?prompt=none`)).status).toBe(400);
  });

  test('returns the address to a client that asks for JSON', async () => {
    const { slug } = await connect();
    const { status, body } = await newBrowser(service)(`/oauth/login/${slug}`, {
      accept: 'application/json',
    });
    expect({ status, body }).toEqual({
      status: 200,
      body: { redirect_url: expect.stringContaining(`${provider.issuer}/auth?`) },
    });
  });

  test('uses a callback of the connection where the provider does not name itself', async () => {
    provider.lies.discovery = ({ authorization_response_iss_parameter_supported: _, ...document }) =>
      document;
    provider.lies.answer = ({ iss: _, ...parameters }) => parameters;
    const connection = await connect({ oidc: { own_callback: true } });
    const browser = newBrowser(service);
    const begun = await browser(`/oauth/login/${connection.slug}`);
    const callback = `http://localhost:8000/oauth/callback/${connection.slug}`;
    expect(new URL(locationOf(begun)).searchParams.get('redirect_uri')).toBe(callback);
    const answer = locationOf(await browser(locationOf(begun)));
    expect(answer).toMatch(callback);
    expect((await browser(answer)).status).toBe(303);
    expect(provider.tokenRequests[0]?.redirect_uri).toBe(callback);
  });

  test('reads the discovery document once for eight logins at once', async () => {
    const { slug } = await connect();
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => newBrowser(service)(`/oauth/login/${slug}`)),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(303));
    expect(provider.calls).toEqual(['/.well-known/openid-configuration']);
  });

  test('reads it again after five minutes, and when the connection has changed', async () => {
    const { slug, connection_id } = await connect();
    const begin = () => newBrowser(service)(`/oauth/login/${slug}`);
    await begin();
    service.clock.advance(299);
    await begin();
    expect(provider.calls).toHaveLength(1);
    service.clock.advance(2);
    await begin();
    expect(provider.calls).toHaveLength(2);
    await service.db.ssoConnections.updateOne({ connection_id }, { $set: { updated_at: new Date() } });
    await begin();
    expect(provider.calls).toHaveLength(3);
  });

  test.each([
    ['an unknown connection', {}, 404, 'unknown connection'],
    ['a connection that is switched off', { enabled: false }, 403, 'connection disabled'],
  ])('refuses %s', async (_name, fields, status, outcome) => {
    const connection = await connect(fields);
    const slug = status === 404 ? 'unknown' : connection.slug;
    await service.expectRefusal(() => newBrowser(service)(`/oauth/login/${slug}`), { status, outcome });
    expect(provider.calls).toEqual([]);
  });

  test('refuses an organization without the plan', async () => {
    const poor = await service.newOrganization({ domain: null, plan: 'Free' });
    const { slug } = await service.connect(poor, provider);
    await service.expectRefusal(() => newBrowser(service)(`/oauth/login/${slug}`), {
      status: 403,
      outcome: 'plan without single sign-on',
    });
  });
});

describe('GET /oauth/callback', () => {
  test('creates the account and sends the browser to the account page with a code', async () => {
    const connection = await connect();
    const { connection_id } = connection;
    let answered: Awaited<ReturnType<OidcService['logIn']>> | undefined;
    const events = await eventsOf(service, async () => {
      answered = await service.logIn(connection);
    });
    expect(answered?.status).toBe(303);
    expect(locationOf(answered as NonNullable<typeof answered>)).toMatch(
      /^http:\/\/localhost:8000\/sso#code=[\w-]{43}$/,
    );
    const user = await service.db.users.findOne({ email: ADA.email });
    expect(user).toMatchObject({ name: 'Ada Lovelace', verified: true, account_status: 'active' });
    const user_id = String(user?.user_id);
    expect(events).toContainEqual(
      auditEvent(service.clock.now(), {
        action: 'sso.login',
        user_id,
        email: ADA.email,
        organization_id: organization.organization_id,
        target: { connection_id },
        session: {
          id: String((await service.db.ssoSessions.findOne({ connection_id }))?.sid),
          device: 'node',
          expires_at: new Date(service.clock.now() + 61 * 60_000),
        },
      }),
    );
    expect(await service.db.ssoIdentities.findOne({ connection_id })).toMatchObject({
      subject: 'ada',
      user_id,
    });
    expect(await service.db.ssoSessions.findOne({ connection_id })).toMatchObject({
      subject: 'ada',
      provider_sid: 'session-1',
      user_id,
    });
  });

  test('returns the code to a client that asks for JSON', async () => {
    const connection = await connect();
    const browser = newBrowser(service);
    const answer = await service.beginLogin(connection, browser);
    const { status, body } = await browser(answer, { accept: 'application/json' });
    expect({ status, body }).toEqual({
      status: 200,
      body: { code: expect.stringMatching(/^[\w-]{43}$/), expires_in: 60 },
    });
  });

  test('sends the verifier of the challenge and authenticates with client_secret_basic', async () => {
    const connection = await connect();
    await service.logIn(connection);
    expect(provider.tokenRequests).toEqual([
      {
        grant_type: 'authorization_code',
        code: expect.any(String),
        code_verifier: expect.stringMatching(/^[\w-]{43}$/),
        redirect_uri: 'http://localhost:8000/oauth/callback',
      },
    ]);
    const credentials = Buffer.from(`${CLIENT_ID}:${CLIENT_SECRET.replaceAll(' ', '+')}`).toString('base64');
    expect(provider.authorizations).toEqual([`Basic ${credentials}`]);
  });

  test('authenticates with client_secret_post where the provider accepts nothing else', async () => {
    provider.lies.discovery = (document) => ({
      ...document,
      token_endpoint_auth_methods_supported: ['client_secret_post'],
    });
    await service.logIn(await connect());
    expect(provider.tokenRequests[0]).toMatchObject({ client_id: CLIENT_ID, client_secret: CLIENT_SECRET });
    expect(provider.authorizations).toEqual([undefined]);
  });

  test('authenticates a public client with its id alone', async () => {
    await service.logIn(await connect({ oidc: { client_secret: null } }));
    expect(provider.tokenRequests[0]).toMatchObject({ client_id: CLIENT_ID });
    expect(provider.tokenRequests[0]).not.toHaveProperty('client_secret');
    expect(provider.authorizations).toEqual([undefined]);
  });

  test('asks userinfo for what the ID token lacks', async () => {
    provider.lies.claims = ({ email: _, email_verified: __, firstName: ___, ...claims }) => claims;
    const answered = await service.logIn(await connect());
    expect(answered.status).toBe(303);
    expect(provider.calls).toContain('/userinfo');
    expect(await service.db.ssoIdentities.findOne({})).toMatchObject({ subject: 'ada', email: ADA.email });
  });

  test('accepts a signed answer of userinfo', async () => {
    provider.lies = {
      claims: ({ email: _, email_verified: __, ...claims }) => claims,
      signUserInfo: provider.key.sign,
    };
    expect((await service.logIn(await connect())).status).toBe(303);
    expect(provider.calls).toContain('/userinfo');
  });

  test('does not ask userinfo when the ID token has everything', async () => {
    await service.logIn(await connect());
    expect(provider.calls).not.toContain('/userinfo');
  });

  test.each(['PS256', 'ES256', 'EdDSA', 'Ed25519'])('accepts ID tokens signed with %s', async (alg) => {
    const other = await startProvider(service.clock, { alg });
    const { status } = await service.logIn(await service.connect(organization, other));
    await other.stop();
    expect(status).toBe(303);
  });

  test('reads the keys once for eight logins at once', async () => {
    const connection = await connect();
    const answers = await Promise.all(Array.from({ length: 8 }, () => service.logIn(connection)));
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(303));
    expect(provider.calls.filter((path) => path === '/jwks')).toHaveLength(1);
  });

  test('reads the keys again when the provider has begun to sign with another', async () => {
    const connection = await connect();
    await service.logIn(connection);
    const next = await newKey('RS256');
    provider.keys = [next.jwk];
    provider.lies.sign = next.sign;
    service.clock.advance(31);
    expect((await service.logIn(connection)).status).toBe(303);
    expect(provider.calls.filter((path) => path === '/jwks')).toHaveLength(2);
  });

  test('reads the keys again when the provider changes its key right after they were read', async () => {
    const connection = await connect();
    await service.logIn(connection);
    const next = await newKey('RS256');
    provider.keys = [next.jwk];
    provider.lies.sign = next.sign;
    expect((await service.logIn(connection)).status).toBe(303);
    expect(provider.calls.filter((path) => path === '/jwks')).toHaveLength(2);
  });

  test('reads the keys at most twice in 30 seconds for unknown keys', async () => {
    const connection = await connect();
    await service.logIn(connection);
    const foreign = await newKey('RS256');
    provider.lies.sign = foreign.sign;
    const step = () => service.logIn(connection);
    const reads = () => provider.calls.filter((path) => path === '/jwks').length;
    const refusal = { status: 403, outcome: 'message refused' };
    for (let turn = 0; turn < 3; turn += 1) await service.expectRefusal(step, refusal);
    expect(reads()).toBe(2);
    service.clock.advance(31);
    for (let turn = 0; turn < 3; turn += 1) await service.expectRefusal(step, refusal);
    expect(reads()).toBe(4);
  });

  test('keeps the keys when they cannot be read again', async () => {
    const connection = await connect();
    await service.logIn(connection);
    const foreign = await newKey('RS256');
    provider.lies = {
      sign: foreign.sign,
      paths: { '/jwks': (_request, response) => void response.writeHead(500).end() },
    };
    service.clock.advance(31);
    await service.expectRefusal(() => service.logIn(connection), {
      status: 503,
      outcome: 'provider unavailable',
    });
    delete provider.lies.sign;
    expect((await service.logIn(connection)).status).toBe(303);
  });

  test('tolerates a clock that differs by a minute', async () => {
    provider.lies.claims = (claims) => ({ ...claims, iat: Number(claims.iat) + 55 });
    expect((await service.logIn(await connect())).status).toBe(303);
  });

  test("accepts Entra ID's statement that the domain is verified", async () => {
    const { profileOf } = await import('../../../packages/sso/oidc/profile-of.ts');
    const connection = await connect();
    const issuer = 'https://login.microsoftonline.com/11111111-2222-3333-4444-555555555555/v2.0';
    const entra = { ...connection, oidc: { issuer, client_id: CLIENT_ID, client_secret: null } };
    const { email_verified: _, ...idToken } = ADA;
    const verified = (xms_edov: unknown, at = entra) =>
      profileOf(at, { idToken: { ...idToken, xms_edov } }).emailVerified;
    expect([true, 1, '1', 'true'].map((flag) => verified(flag))).toEqual([true, true, true, true]);
    expect([false, 0, '0', 'false', '', null].map((flag) => verified(flag))).toEqual(Array(6).fill(false));
    const elsewhere = {
      ...entra,
      oidc: { ...entra.oidc, issuer: 'https://login.microsoftonline.com.evil.test/v2.0' },
    };
    expect(verified(true, elsewhere)).toBe(false);
  });
});
