import { createVerify, X509Certificate } from 'node:crypto';
import { DOMParser } from '@xmldom/xmldom';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { send } from '../../fixtures/http.ts';
import { ACS_URL, type SamlService, startSamlService } from './saml-service.ts';

let service: SamlService;

beforeAll(async () => {
  service = await startSamlService();
});
afterAll(() => service.stop());

describe('GET /saml/login/{slug}', () => {
  it('sends the browser to the provider with a request and stores the login', async () => {
    const { db, connection, provider, begin } = service;
    const begun = await begin();

    expect(begun.answer.status).toBe(303);
    expect(begun.answer.headers.get('cache-control')).toBe('no-store');
    expect(begun.answer.headers.get('set-cookie')).toMatch(
      /^gatehouse-sso=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax/,
    );
    expect(begun).toMatchObject({
      address: provider.ssoUrl,
      destination: provider.ssoUrl,
      acsUrl: ACS_URL,
      issuer: `http://localhost:8000/saml/metadata/${connection.slug}`,
      signature: null,
    });
    expect(begun.xml).toContain('<samlp:NameIDPolicy');
    expect(begun.xml).not.toContain('RequestedAuthnContext');
    expect(await db.ssoFlows.findOne({ state: begun.relayState })).toMatchObject({
      connection_id: connection.connection_id,
      request_id: begun.id,
    });
  });

  it('signs the request when the connection says so', async () => {
    const { connect, begin, spKey } = service;
    const { redirect } = await begin(await connect({ saml: { sign_requests: true } }));
    const [signed = '', signature = ''] = new URL(redirect).search.slice(1).split('&Signature=');
    expect(signed).toMatch(/^SAMLRequest=[^&]+&RelayState=[\w-]{43}&SigAlg=[^&]+rsa-sha256$/);
    const isValid = createVerify('sha256')
      .update(signed)
      .verify(spKey.certificate, decodeURIComponent(signature), 'base64');
    expect(isValid).toBe(true);
  });

  it('keeps the parameters of the address of the provider', async () => {
    const { connect, begin } = service;
    const { redirect } = await begin(
      await connect({ saml: { sso_url: 'https://idp.example/sso?tenant=a' } }),
    );
    expect(redirect).toMatch(/^https:\/\/idp\.example\/sso\?tenant=a&SAMLRequest=/);
  });

  it('returns the address as JSON to a client that asks for it', async () => {
    const { url, connection } = service;
    const { status, body } = await send(`${url}/saml/login/${connection.slug}`, {
      headers: { accept: 'application/json' },
    });
    expect({ status, body }).toEqual({
      status: 200,
      body: { redirect_url: expect.stringMatching(/^https:\/\/idp\.corp\.example\/sso\?SAMLRequest=/) },
    });
  });

  it.each([
    ['an unknown connection', 404, 'There is no such single sign-on', () => 'nowhere'],
    [
      'a disabled connection',
      403,
      'is switched off',
      async () => (await service.connect({ enabled: false })).slug,
    ],
    [
      'an organization without the plan',
      403,
      'does not include single sign-on',
      async () => {
        const of = await service.newOrganization({ plan: 'Free', domain: null });
        return (await service.connect({}, { of })).slug;
      },
    ],
  ])('answers %s with a page', async (_what, status, words, slug) => {
    const answer = await send(`${service.url}/saml/login/${await slug()}`, {
      headers: { accept: 'text/html' },
    });
    expect(answer.status).toBe(status);
    expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(answer.body).toContain(words);
    expect(answer.body).toContain(answer.headers.get('x-request-id'));
    expect(answer.headers.get('set-cookie')).toBeNull();
  });
});

describe('GET /saml/metadata/{slug}', () => {
  it('describes our side of the connection', async () => {
    const { url, connection, spKey } = service;
    const { status, headers, body } = await send(`${url}/saml/metadata/${connection.slug}`);
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('application/samlmetadata+xml; charset=utf-8');

    const entity = new DOMParser().parseFromString(body, 'text/xml').documentElement;
    const all = (name: string) => Array.from(entity.getElementsByTagNameNS('*', name));
    expect(entity.getAttribute('entityID')).toBe(`http://localhost:8000/saml/metadata/${connection.slug}`);
    expect(all('KeyDescriptor').map((key) => key.getAttribute('use'))).toEqual(['signing', 'encryption']);
    const der = new X509Certificate(spKey.certificate).raw.toString('base64');
    expect(all('X509Certificate').map((node) => node.textContent)).toEqual([der, der]);
    expect(all('AssertionConsumerService').map((node) => node.getAttribute('Location'))).toEqual([
      ACS_URL,
      `${ACS_URL}/${service.connection.slug}`,
    ]);
    const logoutUrl = `http://localhost:8000/saml/slo/${connection.slug}`;
    expect(all('SingleLogoutService').map((node) => node.getAttribute('Location'))).toEqual([
      logoutUrl,
      logoutUrl,
    ]);
    expect(all('SPSSODescriptor')[0]?.getAttribute('AuthnRequestsSigned')).toBe('false');
    expect(body).not.toContain('PRIVATE');
    expect(body).not.toContain(connection.saml?.sp_private_key);
  });

  it('is there before the connection is enabled', async () => {
    const { slug } = await service.connect({ enabled: false, saml: { sign_requests: true } });
    const { status, body } = await send(`${service.url}/saml/metadata/${slug}`);
    expect(status).toBe(200);
    expect(body).toContain('AuthnRequestsSigned="true"');
  });

  it('answers 404 for an unknown connection', async () => {
    const answer = await send(`${service.url}/saml/metadata/nowhere`);
    expect({ status: answer.status, body: answer.body }).toEqual(
      service.failure(answer, 404, 'RESOURCE_NOT_FOUND', 'Not found'),
    );
  });
});
