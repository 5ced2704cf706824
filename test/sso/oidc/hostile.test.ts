import { exportSPKI, type JWTPayload, SignJWT, UnsecuredJWT } from 'jose';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { locationOf, newBrowser, type OidcService, startOidcService } from './oidc-service.ts';
import { ADA, CLIENT_SECRET, type Lies, newKey, type Provider, sendJson, startProvider } from './provider.ts';
import { type WithProvider, withProvider } from './with-provider.ts';

let service: OidcService;
let provider: Provider;
let organization: WithProvider['organization'];
withProvider((started) => {
  ({ service, provider, organization } = started);
});

// These are more refusals than an hour's audit stores.
beforeEach(() => service.db.refusalTallies.deleteMany({}));

const connect = (...fields: [Parameters<OidcService['connect']>[2]?]) =>
  service.connect(organization, provider, ...fields);

type Refusal = Parameters<OidcService['expectRefusal']>[1];
const refused = (detail: RegExp): Refusal => ({ status: 403, outcome: 'message refused', detail });
const malformed = (detail: RegExp): Refusal => ({ status: 400, outcome: 'message malformed', detail });
const unavailable = (detail: RegExp): Refusal => ({ status: 503, outcome: 'provider unavailable', detail });
const notBegun = (detail: RegExp): Refusal => ({ status: 400, outcome: 'login not begun here', detail });
const providerRefused = (detail: RegExp): Refusal => ({ status: 403, outcome: 'provider refused', detail });

const claims = (change: JWTPayload): Lies => ({ claims: (honest) => ({ ...honest, ...change }) });
const without = (name: string): Lies => ({
  claims: ({ [name]: _, ...honest }) => honest,
});
const answer = (change: Record<string, string>): Lies => ({ answer: (honest) => ({ ...honest, ...change }) });
const userInfo = (body: Record<string, unknown>): Lies => ({ ...without('email'), userInfo: body });

describe('refuses an ID token', () => {
  const seconds = () => service.clock.seconds();
  test.each<[string, () => Lies | Promise<Lies>, RegExp]>([
    ['with another nonce', () => claims({ nonce: 'other' }), /"nonce"/],
    ['without a nonce', () => without('nonce'), /"nonce".*missing/],
    ['of another issuer', () => claims({ iss: 'https://idp.evil.test' }), /"iss"/],
    ['whose issuer has a slash at the end', () => claims({ iss: `${provider.issuer}/` }), /"iss"/],
    ['for another client', () => claims({ aud: 'other' }), /"aud"/],
    ['for several clients without a party', () => claims({ aud: ['gatehouse', 'other'] }), /"aud"/],
    [
      'for several clients and another party',
      () => claims({ aud: ['gatehouse', 'other'], azp: 'other' }),
      /"azp"/,
    ],
    ['for another party', () => claims({ azp: 'other' }), /"azp"/],
    ['that has expired', () => claims({ exp: seconds() - 61 }), /"exp"/],
    ['without an expiry', () => without('exp'), /"exp".*missing/],
    ['from the future', () => claims({ iat: seconds() + 120, exp: seconds() + 400 }), /"iat"/],
    ['from an hour ago', () => claims({ iat: seconds() - 3600 }), /"iat"/],
    ['without a time of issue', () => without('iat'), /"iat".*missing/],
    ['that is not valid yet', () => claims({ nbf: seconds() + 120 }), /"nbf"/],
    ['without a subject', () => without('sub'), /"sub".*missing/],
    ['with an empty subject', () => claims({ sub: '' }), /"sub"/],
    ['with an endless subject', () => claims({ sub: 'a'.repeat(256) }), /"sub"/],
    ['without a signature (alg none)', () => ({ sign: (set) => new UnsecuredJWT(set).encode() }), /"alg"/],
    [
      'signed with HS256 and the client secret',
      () => ({
        sign: (set) =>
          new SignJWT(set).setProtectedHeader({ alg: 'HS256' }).sign(new TextEncoder().encode(CLIENT_SECRET)),
      }),
      /"alg"/,
    ],
    [
      'signed with HS256 and the public key',
      () => ({
        sign: async (set) =>
          new SignJWT(set)
            .setProtectedHeader({ alg: 'HS256', kid: String(provider.key.jwk.kid) })
            .sign(new TextEncoder().encode(await exportSPKI(provider.key.publicKey))),
      }),
      /"alg"/,
    ],
    [
      'signed with RS512',
      async () => {
        const strong = await newKey('RS512');
        provider.keys = [strong.jwk];
        return { sign: strong.sign };
      },
      /"alg"/,
    ],
    [
      'signed with another key under the same key ID',
      async () => {
        const foreign = await newKey('RS256');
        return { sign: (set) => foreign.sign(set, { kid: provider.key.jwk.kid }) };
      },
      /signature/,
    ],
    [
      'signed with a key in its own header',
      async () => {
        const foreign = await newKey('RS256');
        return { sign: (set) => foreign.sign(set, { jwk: foreign.jwk, jku: 'http://evil.test/jwks' }) };
      },
      /no applicable key/,
    ],
    [
      'with an altered payload',
      () => ({
        sign: async (set) => {
          const [header, , signature] = (await provider.key.sign(set)).split('.');
          const payload = Buffer.from(JSON.stringify({ ...set, email: 'eve@corp.example' })).toString(
            'base64url',
          );
          return `${header}.${payload}.${signature}`;
        },
      }),
      /signature/,
    ],
    [
      'with a critical extension',
      () => ({
        sign: async (set) => {
          const header = { alg: 'RS256', kid: provider.key.jwk.kid, crit: ['x'], x: 1 };
          const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
          return `${encode(header)}.${encode(set)}.c2ln`;
        },
      }),
      /crit/,
    ],
  ])('%s', async (_name, lie, detail) => {
    provider.lies = await lie();
    const connection = await connect();
    await service.expectRefusal(() => service.logIn(connection), refused(detail));
  });

  test('that is not a token', async () => {
    provider.lies.sign = () => 'not.a.token';
    const connection = await connect();
    await service.expectRefusal(() => service.logIn(connection), malformed(/./));
  });
});

describe('refuses an answer', () => {
  test.each<[string, Lies, Refusal]>([
    ['with another state', answer({ state: 'other' }), notBegun(/state/)],
    ['without a state', answer({ state: '' }), notBegun(/state/)],
    ['of another issuer', answer({ iss: 'https://idp.evil.test' }), refused(/"iss"/)],
    ['without the issuer', { answer: ({ iss: _, ...honest }) => honest }, refused(/"iss".*missing/)],
    ['without a code', { answer: ({ code: _, ...honest }) => honest }, refused(/code/)],
    [
      'with a code that the provider does not know',
      answer({ code: 'other' }),
      providerRefused(/invalid_grant/),
    ],
    [
      'that says that the person refused',
      answer({ error: 'access_denied', error_description: '<b>No</b>' }),
      providerRefused(/access_denied: <b>No<\/b>/),
    ],
    ['with an ID token in the address', answer({ id_token: 'a.b.c' }), refused(/./)],
    [
      'whose verifier the provider refuses',
      { tokenRequest: (sent) => ({ ...sent, code_verifier: 'other' }) },
      providerRefused(/invalid_grant/),
    ],
  ])('%s', async (_name, lies, refusal) => {
    provider.lies = lies;
    const connection = await connect();
    await service.expectRefusal(() => service.logIn(connection), refusal);
  });

  test('that repeats its state', async () => {
    const connection = await connect();
    const browser = newBrowser(service);
    const address = await service.beginLogin(connection, browser);
    await service.expectRefusal(() => browser(`${address}&state=other`), notBegun(/state/));
  });

  test('that repeats its code', async () => {
    const connection = await connect();
    const browser = newBrowser(service);
    const address = await service.beginLogin(connection, browser);
    await service.expectRefusal(() => browser(`${address}&code=other`), refused(/"code".*once/));
    expect(provider.tokenRequests).toEqual([]);
  });

  test('that comes a second time', async () => {
    const connection = await connect();
    const browser = newBrowser(service);
    const address = await service.beginLogin(connection, browser);
    expect((await browser(address)).status).toBe(303);
    await service.expectRefusal(() => browser(address), notBegun(/used/));
    expect(provider.tokenRequests).toHaveLength(1);
  });

  test('that comes eight times at once, except once', async () => {
    const connection = await connect();
    const browser = newBrowser(service);
    const address = await service.beginLogin(connection, browser);
    const sessions = await service.db.ssoSessions.countDocuments();
    const answers = await Promise.all(Array.from({ length: 8 }, () => browser(address)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([303, ...Array(7).fill(400)]);
    expect(provider.tokenRequests).toHaveLength(1);
    expect(await service.db.ssoSessions.countDocuments()).toBe(sessions + 1);
  });

  test('in another browser', async () => {
    const connection = await connect();
    const address = await service.beginLogin(connection, newBrowser(service));
    await service.expectRefusal(() => newBrowser(service)(address), notBegun(/browser/));
    expect(provider.tokenRequests).toEqual([]);
  });

  test('after ten minutes', async () => {
    const connection = await connect();
    const browser = newBrowser(service);
    const address = await service.beginLogin(connection, browser);
    service.clock.advance(601);
    await service.expectRefusal(() => browser(address), notBegun(/expired/));
  });

  test('whose connection has been switched off', async () => {
    const connection = await connect();
    const browser = newBrowser(service);
    const address = await service.beginLogin(connection, browser);
    await service.db.ssoConnections.updateOne({ slug: connection.slug }, { $set: { enabled: false } });
    await service.expectRefusal(() => browser(address), { status: 403, outcome: 'connection disabled' });
  });

  test.each(['', '?code=a', '?state=', '?state=%00', '?state[$ne]=a', '?error=access_denied'])(
    'to a login that never began: %s',
    async (query) => {
      await service.expectRefusal(() => newBrowser(service)(`/oauth/callback${query}`), notBegun(/./));
    },
  );
});

describe('keeps the code of one provider from another', () => {
  test('when the answer names another issuer', async () => {
    const evil = await startProvider(service.clock);
    const foreign = await service.newOrganization({ domain: 'evil.example' });
    const hostile = await service.connect(foreign, evil);
    await connect();
    const browser = newBrowser(service);
    // The hostile provider sends the browser on to the honest one, which answers with a code.
    const begun = new URL(locationOf(await browser(`/oauth/login/${hostile.slug}`)));
    const answered = locationOf(await browser(`${provider.issuer}/auth${begun.search}`));
    await service.expectRefusal(() => browser(answered), refused(/"iss"/));
    expect(evil.tokenRequests).toEqual([]);
    await evil.stop();
  });

  test('when the answer comes to the callback of another connection', async () => {
    const quiet: Lies = {
      discovery: ({ authorization_response_iss_parameter_supported: _, ...document }) => document,
      answer: ({ iss: _, ...parameters }) => parameters,
    };
    const evil = await startProvider(service.clock);
    evil.lies = quiet;
    provider.lies = quiet;
    const foreign = await service.newOrganization({ domain: 'evil2.example' });
    const hostile = await service.connect(foreign, evil, { oidc: { own_callback: true } });
    const honest = await connect({ oidc: { own_callback: true } });
    const browser = newBrowser(service);
    const begun = new URL(locationOf(await browser(`/oauth/login/${hostile.slug}`)));
    // The honest provider knows no callback but that of its connection.
    begun.searchParams.set('redirect_uri', `http://localhost:8000/oauth/callback/${honest.slug}`);
    const answered = locationOf(await browser(`${provider.issuer}/auth${begun.search}`));
    await service.expectRefusal(() => browser(answered), refused(/callback of another connection/));
    expect(evil.tokenRequests).toEqual([]);
    await evil.stop();
  });

  test('when a provider with the shared callback has ceased to name itself', async () => {
    provider.lies.discovery = ({ authorization_response_iss_parameter_supported: _, ...document }) =>
      document;
    const { slug } = await connect();
    await service.expectRefusal(
      () => newBrowser(service)(`/oauth/login/${slug}`),
      refused(/name its issuer/),
    );
  });

  test('when its own callback gets the answer of a shared one', async () => {
    const connection = await connect();
    const browser = newBrowser(service);
    const address = await service.beginLogin(connection, browser);
    const moved = address.replace('/oauth/callback?', `/oauth/callback/${connection.slug}?`);
    await service.expectRefusal(() => browser(moved), refused(/callback of another connection/));
    expect(provider.tokenRequests).toEqual([]);
  });
});

describe('refuses a person', () => {
  test.each<[string, Lies, Refusal]>([
    [
      'whose address is not verified',
      claims({ email_verified: false }),
      {
        status: 403,
        outcome: 'email not verified',
        text: /^Corp does not confirm your e-mail address\. Ask your administrator to mark it as verified at Corp/,
      },
    ],
    [
      'whose email_verified is the text "true"',
      claims({ email_verified: 'true' }),
      { status: 403, outcome: 'email not verified' },
    ],
    [
      'without a statement that the address is verified',
      { ...without('email_verified'), userInfo: { sub: 'ada' } },
      { status: 403, outcome: 'email not verified' },
    ],
    [
      'whose userinfo vouches for another address',
      { ...without('email_verified'), userInfo: { ...ADA, email: 'other@elsewhere.example' } },
      { status: 403, outcome: 'foreign domain' },
    ],
    [
      'whose address only xms_edov verifies, at another provider than Entra ID',
      { ...without('email_verified'), userInfo: { sub: 'ada', xms_edov: true } },
      { status: 403, outcome: 'email not verified' },
    ],
    ['without an address', userInfo({ sub: 'ada' }), { status: 403, outcome: 'email missing' }],
    [
      'from a foreign domain',
      claims({ email: 'ada@elsewhere.example' }),
      { status: 403, outcome: 'foreign domain' },
    ],
    [
      'from a subdomain',
      claims({ email: 'ada@sub.corp.example' }),
      { status: 403, outcome: 'foreign domain' },
    ],
    ['whose userinfo has another subject', userInfo({ ...ADA, sub: 'eve' }), refused(/"sub"/)],
    ['whose userinfo has no subject', userInfo({ email: ADA.email, email_verified: true }), refused(/"sub"/)],
  ])('%s', async (_name, lies, refusal) => {
    provider.lies = lies;
    const connection = await connect();
    await service.expectRefusal(() => service.logIn(connection), refusal);
  });

  test.each<[string, (honest: JWTPayload) => Promise<string> | string, RegExp]>([
    ['another issuer', (honest) => provider.key.sign({ ...honest, iss: 'https://idp.evil.test' }), /"iss"/],
    ['no issuer', ({ iss: _, ...rest }) => provider.key.sign(rest), /"iss"/],
    ['another audience', (honest) => provider.key.sign({ ...honest, aud: 'other' }), /"aud"/],
    ['no audience', ({ aud: _, ...rest }) => provider.key.sign(rest), /"aud"/],
    ['another subject', (honest) => provider.key.sign({ ...honest, sub: 'eve' }), /"sub"/],
    ['an expiry in the past', (honest) => provider.key.sign({ ...honest, exp: 1 }), /"exp"/],
    ['no signature', (honest) => new UnsecuredJWT(honest).encode(), /alg/],
    [
      'the signature of another key',
      async (honest) => (await newKey('RS256')).sign(honest, { kid: provider.key.jwk.kid }),
      /signature/,
    ],
    ['no JWT', () => 'not a JWT', /./],
  ])('whose signed userinfo has %s', async (_name, signUserInfo, detail) => {
    provider.lies = { ...without('email'), signUserInfo };
    const connection = await connect();
    await service.expectRefusal(() => service.logIn(connection), refused(detail));
  });

  test('from a domain that another organization has verified', async () => {
    await service.newOrganization({ domain: 'tenant.example' });
    provider.lies = claims({ email: 'ada@tenant.example' });
    const connection = await connect();
    await service.expectRefusal(() => service.logIn(connection), { status: 403, outcome: 'foreign domain' });
  });
});

describe('fails in words when', () => {
  const discovery = '/.well-known/openid-configuration';
  const redirect = (_request: unknown, response: import('node:http').ServerResponse) =>
    void response.writeHead(302, { location: `${provider.issuer}/elsewhere` }).end();
  const huge = (_request: unknown, response: import('node:http').ServerResponse) =>
    sendJson(response, { keys: [], padding: 'a'.repeat(300_000) });
  const broken = (_request: unknown, response: import('node:http').ServerResponse) =>
    sendJson(response, { error: 'server_error' }, 500);
  const text = (_request: unknown, response: import('node:http').ServerResponse) =>
    void response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Hello</h1>');
  const from = (document: Record<string, unknown>): Lies => ({
    discovery: (honest) => ({ ...honest, ...document }),
  });

  test.each<[string, () => Lies, () => Refusal]>([
    ['discovery redirects', () => ({ paths: { [discovery]: redirect } }), () => malformed(/redirect/)],
    ['discovery is huge', () => ({ paths: { [discovery]: huge } }), () => malformed(/too long/)],
    ['discovery fails', () => ({ paths: { [discovery]: broken } }), () => unavailable(/500/)],
    ['discovery is a page', () => ({ paths: { [discovery]: text } }), () => malformed(/./)],
    [
      'discovery names another issuer',
      () => from({ issuer: 'https://idp.evil.test' }),
      () => refused(/that of https:\/\/idp\.evil\.test/),
    ],
    [
      'discovery names the issuer with a slash',
      () => from({ issuer: `${provider.issuer}/` }),
      () => refused(/document is that of/),
    ],
    [
      'the provider signs with HS256 only',
      () => from({ id_token_signing_alg_values_supported: ['HS256', 'none'] }),
      () => refused(/none of/),
    ],
    [
      'there is no authorization endpoint',
      () => from({ authorization_endpoint: undefined }),
      () => malformed(/authorization_endpoint/),
    ],
    [
      'the authorization endpoint is a script',
      () => from({ authorization_endpoint: 'javascript:alert(1)' }),
      () => refused(/HTTP/),
    ],
    [
      'the provider takes no client secret',
      () => from({ token_endpoint_auth_methods_supported: ['private_key_jwt'] }),
      () => providerRefused(/client_secret_basic/),
    ],
    ['the token endpoint redirects', () => ({ paths: { '/token': redirect } }), () => malformed(/redirect/)],
    ['the token endpoint is huge', () => ({ paths: { '/token': huge } }), () => malformed(/too long/)],
    ['the token endpoint answers a page', () => ({ paths: { '/token': text } }), () => malformed(/./)],
    [
      'the token endpoint sends no ID token',
      () => ({
        paths: {
          '/token': (_request, response) => sendJson(response, { access_token: 'a', token_type: 'Bearer' }),
        },
      }),
      () => refused(/id_token/),
    ],
    [
      'the token endpoint refuses the client',
      () => ({
        paths: { '/token': (_request, response) => sendJson(response, { error: 'invalid_client' }, 401) },
      }),
      () => providerRefused(/invalid_client/),
    ],
    [
      'the token endpoint has a private address',
      () => from({ token_endpoint: 'http://10.0.0.1/token' }),
      () => unavailable(/not public/),
    ],
    ['the key set redirects', () => ({ paths: { '/jwks': redirect } }), () => malformed(/redirect/)],
    ['the key set is huge', () => ({ paths: { '/jwks': huge } }), () => malformed(/too long/)],
    ['the key set is missing', () => from({ jwks_uri: undefined }), () => malformed(/jwks_uri/)],
    ['the key set is a file', () => from({ jwks_uri: 'file:///etc/passwd' }), () => malformed(/jwks_uri/)],
    ['the key set is a page', () => ({ paths: { '/jwks': text } }), () => malformed(/key set/)],
    [
      'the key set has another shape',
      () => ({ paths: { '/jwks': (_request, response) => sendJson(response, { keys: 'none' }) } }),
      () => malformed(/key set/),
    ],
    [
      'userinfo redirects',
      () => ({ ...without('email'), paths: { '/userinfo': redirect } }),
      () => malformed(/redirect/),
    ],
    [
      'userinfo refuses the access token',
      () => ({
        ...without('email'),
        paths: {
          '/userinfo': (_request, response) =>
            void response.writeHead(401, { 'www-authenticate': 'Bearer error="invalid_token"' }).end(),
        },
      }),
      () => providerRefused(/./),
    ],
  ])('%s', async (_name, lie, refusal) => {
    provider.lies = lie();
    const connection = await connect();
    await service.expectRefusal(() => service.tryLogIn(connection), refusal());
  });

  test('the provider does not listen', async () => {
    const gone = await startProvider(service.clock);
    await gone.stop();
    const { slug } = await service.connect(organization, gone);
    await service.expectRefusal(() => newBrowser(service)(`/oauth/login/${slug}`), unavailable(/refused/));
  });

  test('discovery has failed a moment ago, without asking again', async () => {
    provider.lies.paths = { [discovery]: broken };
    const { slug } = await connect();
    const begin = () => newBrowser(service)(`/oauth/login/${slug}`);
    await service.expectRefusal(begin, unavailable(/500/));
    await service.expectRefusal(begin, unavailable(/500/));
    expect(provider.calls).toHaveLength(1);
    provider.lies = {};
    service.clock.advance(6);
    expect((await begin()).status).toBe(303);
  });
});

describe('gives up in words when', () => {
  let hurried: OidcService;
  let slow: Provider;
  beforeAll(async () => {
    hurried = await startOidcService({ oidc: { loginTimeout: 300, documentTimeout: 300 } });
    slow = await startProvider(hurried.clock);
  });
  afterAll(async () => {
    await slow.stop();
    await hurried.stop();
  });

  const discovery = '/.well-known/openid-configuration';
  const hang = () => {};
  const trickle = (_request: unknown, response: import('node:http').ServerResponse) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    const timer = setInterval(() => response.write(' '), 20);
    response.on('close', () => clearInterval(timer));
  };
  test.each<[string, Lies]>([
    ['discovery hangs', { paths: { [discovery]: hang } }],
    ['discovery never ends', { paths: { [discovery]: trickle } }],
    ['the token endpoint hangs', { paths: { '/token': hang } }],
    ['the token endpoint never ends', { paths: { '/token': trickle } }],
    ['the key set hangs', { paths: { '/jwks': hang } }],
    ['the key set never ends', { paths: { '/jwks': trickle } }],
    ['userinfo hangs', { ...without('email'), paths: { '/userinfo': hang } }],
    ['userinfo never ends', { ...without('email'), paths: { '/userinfo': trickle } }],
  ])('%s', async (_name, lies) => {
    slow.lies = lies;
    const connection = await hurried.connect(await hurried.newOrganization({ domain: null }), slow);
    await hurried.expectRefusal(() => hurried.tryLogIn(connection), unavailable(/./));
  });
});
