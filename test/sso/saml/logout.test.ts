import { createVerify } from 'node:crypto';
import { inflateRawSync } from 'node:zlib';
import { DOMParser } from '@xmldom/xmldom';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventsOf } from '../../fixtures/audit.ts';
import { signingKey } from '../../fixtures/certificates.ts';
import { type Answered, postForm, postJson, send } from '../../fixtures/http.ts';
import { toBase64 } from '../../fixtures/saml-provider.ts';
import { type SamlService, startSamlService } from './saml-service.ts';

let service: SamlService;
let sloUrl: string;
let destination: string;

beforeAll(async () => {
  service = await startSamlService();
  sloUrl = `${service.url}/saml/slo/${service.connection.slug}`;
  destination = `http://localhost:8000/saml/slo/${service.connection.slug}`;
});
afterAll(() => service.stop());

/** Logs Grace in. @returns a call with the token of the session. */
async function logIn(sessionIndex: string, email = 'grace@corp.example') {
  const { begin, fieldsFor, signedResponse, answer, url } = service;
  const begun = await begin();
  const nameId = email.split('@')[0] ?? '';
  const fields = fieldsFor(begun, { nameId, sessionIndex, attributes: { email } });
  const { headers } = await answer(signedResponse(fields), begun);
  const code = headers.get('location')?.split('#code=')[1];
  const exchanged = await postJson(`${url}/api/v1/auth/sso/exchange`, { code }, { cookie: begun.cookie });
  const authorization = `Bearer ${exchanged.body.access_token}`;
  return {
    user_id: exchanged.body.user_id,
    status: async () => (await send(`${url}/api/v1/users/me`, { headers: { authorization } })).status,
  };
}

type Changes = Partial<Parameters<SamlService['provider']['logoutRequest']>[0]>;
const request = (changes: Changes = {}) =>
  service.provider.logoutRequest({ destination, nameId: 'grace', now: service.clock.now(), ...changes });

const byRedirect = (
  xml: string,
  options: Parameters<SamlService['provider']['redirectQuery']>[2] = {},
  headers: Record<string, string> = { accept: 'text/html' },
) => send(`${sloUrl}?${service.provider.redirectQuery('SAMLRequest', xml, options)}`, { headers });

const byPost = (xml: string, fields: Record<string, string> = {}) =>
  postForm(sloUrl, { SAMLRequest: toBase64(xml), ...fields }, { accept: 'text/html' });

/** Reads the response in a redirect to the provider, whose signature is verified. */
function readResponse(location: string | null) {
  const [signed = '', signature = ''] = new URL(location ?? '').search.slice(1).split('&Signature=');
  const isValid = createVerify('sha256')
    .update(signed)
    .verify(service.spKey.certificate, decodeURIComponent(signature), 'base64');
  expect(isValid).toBe(true);
  const parameters = new URLSearchParams(signed);
  const xml = inflateRawSync(Buffer.from(parameters.get('SAMLResponse') ?? '', 'base64')).toString();
  const root = new DOMParser().parseFromString(xml, 'text/xml').documentElement;
  return {
    name: root.localName,
    inResponseTo: root.getAttribute('InResponseTo'),
    destination: root.getAttribute('Destination'),
    status: root.getElementsByTagNameNS('*', 'StatusCode')[0]?.getAttribute('Value'),
    relayState: parameters.get('RelayState'),
  };
}

describe('GET and POST /saml/slo/{slug}', () => {
  it('ends the session of an index and answers the provider', async () => {
    const [first, second] = [await logIn('index-1'), await logIn('index-2')];
    const events = await eventsOf(service, async () => {
      const { status, headers } = await byRedirect(request({ id: '_out-1', sessionIndexes: ['index-1'] }), {
        relayState: `a b+c&d'(e)`,
      });
      expect(status).toBe(303);
      expect(headers.get('location')).toMatch(/^https:\/\/idp\.corp\.example\/slo\?SAMLResponse=/);
      expect(readResponse(headers.get('location'))).toEqual({
        name: 'LogoutResponse',
        inResponseTo: '_out-1',
        destination: 'https://idp.corp.example/slo',
        status: 'urn:oasis:names:tc:SAML:2.0:status:Success',
        relayState: `a b+c&d'(e)`,
      });
    });
    expect([await first.status(), await second.status()]).toEqual([401, 200]);
    expect(events).toMatchObject([
      {
        action: 'sso.logout',
        outcome: 'success',
        user_id: first.user_id,
        target: { connection_id: service.connection.connection_id },
      },
    ]);
  });

  it('ends all sessions of a person without an index, and nobody else’s', async () => {
    const sessions = [
      await logIn('index-3'),
      await logIn('index-4'),
      await logIn('index-5', 'alan@corp.example'),
    ];
    const { status } = await byPost(service.provider.sign(request()), { RelayState: 'x' });
    expect(status).toBe(303);
    expect(await Promise.all(sessions.map((session) => session.status()))).toEqual([401, 401, 200]);
  });

  it('ends sessions of a disabled connection', async () => {
    const { db, connection } = service;
    const session = await logIn('index-6');
    const { connection_id } = connection;
    await db.ssoConnections.updateOne({ connection_id }, { $set: { enabled: false } });
    expect((await byRedirect(request())).status).toBe(303);
    await db.ssoConnections.updateOne({ connection_id }, { $set: { enabled: true } });
    expect(await session.status()).toBe(401);
  });

  it('answers a client that asks for JSON, and a person whose provider has no address', async () => {
    const { db, connection } = service;
    const answered = await byRedirect(request(), {}, { accept: 'application/json' });
    expect(answered).toMatchObject({ status: 200, body: { redirect_url: expect.stringMatching(/^https:/) } });

    const { connection_id } = connection;
    await db.ssoConnections.updateOne({ connection_id }, { $set: { 'saml.slo_url': null } });
    const shown = await byRedirect(request());
    await db.ssoConnections.updateOne(
      { connection_id },
      { $set: { 'saml.slo_url': service.provider.sloUrl } },
    );
    expect(shown).toMatchObject({
      status: 200,
      body: expect.stringContaining('<h1>You are logged out</h1>'),
    });
    expect(shown.headers.get('content-type')).toBe('text/html; charset=utf-8');
  });
});

describe('a logout that is refused', () => {
  const minutes = (count: number) => count * 60_000;
  const SHA1 = 'http://www.w3.org/2000/09/xmldsig#rsa-sha1';
  const HMAC = 'http://www.w3.org/2001/04/xmldsig-more#hmac-sha256';
  const query = (xml: string) => service.provider.redirectQuery('SAMLRequest', xml);
  const get = (sent: string) => send(`${sloUrl}?${sent}`, { headers: { accept: 'text/html' } });

  const CASES: [string, () => Answered | Promise<Answered>, number, string, RegExp][] = [
    [
      'has no signature in the address',
      () => get(query(request()).replace(/&Signature=.*/, '')),
      403,
      'logout refused',
      /the request is not signed/,
    ],
    [
      'has no signature in the form',
      () => byPost(request()),
      403,
      'logout refused',
      /the request is not signed/,
    ],
    [
      'is signed by another key',
      async () => byRedirect(request(), { signer: await signingKey('stranger') }),
      403,
      'logout refused',
      /the signature is not that of the provider/,
    ],
    [
      'is signed by another key in the form',
      async () => byPost(service.provider.sign(request(), { key: await signingKey('stranger') })),
      403,
      'logout refused',
      /the request cannot be verified/,
    ],
    [
      'is signed with SHA-1',
      () => byRedirect(request(), { algorithm: SHA1 }),
      403,
      'logout refused',
      /rsa-sha1 is not accepted/,
    ],
    [
      'is signed with SHA-1 in the form',
      () => byPost(service.provider.sign(request(), { signatureAlgorithm: SHA1 })),
      403,
      'logout refused',
      /rsa-sha1 is not accepted/,
    ],
    [
      'has an HMAC with the public certificate',
      () => {
        const { certificate } = service.provider.key;
        return byRedirect(request(), { algorithm: HMAC, signer: { privateKey: certificate, certificate } });
      },
      403,
      'logout refused',
      /hmac-sha256 is not accepted/,
    ],
    [
      'has another RelayState than was signed',
      () => get(`${query(request())}&RelayState=x`),
      403,
      'logout refused',
      /the signature is not that of the provider/,
    ],
    [
      'has two requests',
      () => get(`${query(request())}&SAMLRequest=x`),
      400,
      'message malformed',
      /SAMLRequest/,
    ],
    [
      'was changed after it was signed',
      () => byPost(service.provider.sign(request()).replace('>grace<', '>alan<')),
      403,
      'logout refused',
      /the request cannot be verified/,
    ],
    [
      'is wrapped around the signed request',
      () => {
        const signed = service.provider.sign(request());
        const forged = request({ id: '_forged', nameId: 'alan' });
        return byPost(forged.replace('</samlp:LogoutRequest>', `${signed}</samlp:LogoutRequest>`));
      },
      403,
      'logout refused',
      /a signature is at a place where none may be/,
    ],
    [
      'has the signature of another request',
      () => {
        const signed = service.provider.sign(request());
        const [signature = ''] = /<ds:Signature .*<\/ds:Signature>/s.exec(signed) ?? [];
        const forged = request({ id: '_forged', nameId: 'alan' });
        return byPost(forged.replace('</saml:Issuer>', `</saml:Issuer>${signature}`));
      },
      403,
      'logout refused',
      /a signature covers another element/,
    ],
    [
      'has a comment in the NameID',
      () => byPost(service.provider.sign(request()).replace('>grace<', '>gr<!-- -->ace<')),
      400,
      'message malformed',
      /has comments/,
    ],
    [
      'expands to more than 256 KiB',
      () => byRedirect(request({ nameId: ' '.repeat(1_000_000) })),
      400,
      'message malformed',
      /is not compressed, or too large/,
    ],
    [
      'has a document type',
      () => byRedirect(`<!DOCTYPE x [<!ENTITY a "b">]>${request()}`),
      400,
      'message malformed',
      /has a document type declaration/,
    ],
    [
      'is for another address',
      () => byRedirect(request({ destination: 'https://other.example' })),
      403,
      'logout refused',
      /the destination is https:\/\/other.example/,
    ],
    [
      'has no destination',
      () => byRedirect(request({ destination: undefined })),
      403,
      'logout refused',
      /the destination is absent/,
    ],
    [
      'is from another issuer',
      () => byRedirect(request({ issuer: 'https://evil.example' })),
      403,
      'logout refused',
      /the issuer is https:\/\/evil.example/,
    ],
    [
      'is old',
      () => byRedirect(request({ now: service.clock.now() - minutes(6) })),
      403,
      'logout refused',
      /IssueInstant is/,
    ],
    [
      'is of the future',
      () => byRedirect(request({ now: service.clock.now() + minutes(2) })),
      403,
      'logout refused',
      /IssueInstant is/,
    ],
    [
      'has expired',
      () => byRedirect(request({ notOnOrAfter: service.clock.now() - minutes(1) })),
      403,
      'logout refused',
      /NotOnOrAfter is/,
    ],
    [
      'is no logout request',
      () => byRedirect(request().replaceAll('LogoutRequest', 'AuthnRequest')),
      403,
      'logout refused',
      /the message is a AuthnRequest/,
    ],
    [
      'was sent before',
      async () => {
        const { clock, provider } = service;
        const xml = provider.logoutRequest({ destination, nameId: 'nobody', now: clock.now() });
        expect((await byRedirect(xml)).status).toBe(303);
        return byRedirect(xml);
      },
      403,
      'message used before',
      /^_/,
    ],
  ];

  it.each(CASES)('%s', async (_what, send, status, outcome, detail) => {
    const { logged } = service;
    const sessions = [await logIn('index-7'), await logIn('index-8', 'alan@corp.example')];
    logged.length = 0;
    let answer: Answered | undefined;
    const events = await eventsOf(service, async () => {
      answer = await send();
    });
    expect(answer).toMatchObject({
      status,
      body: expect.stringContaining('<h1>You may still be signed in</h1>'),
    });
    expect(events).toContainEqual(
      expect.objectContaining({
        action: 'sso.logout',
        outcome,
        after: { detail: expect.stringMatching(detail) },
      }),
    );
    expect(logged.map((line) => JSON.parse(line))).toMatchObject([{ refusal: outcome }]);
    expect(await Promise.all(sessions.map((session) => session.status()))).toEqual([200, 200]);
  });

  it('is for an unknown connection', async () => {
    const { url } = service;
    const answer = await send(`${url}/saml/slo/nowhere?${query(request())}`, {
      headers: { accept: 'text/html' },
    });
    expect(answer.status).toBe(404);
  });
});
