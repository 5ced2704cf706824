import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventsOf } from '../../fixtures/audit.ts';
import { send } from '../../fixtures/http.ts';
import { toBase64 } from '../../fixtures/saml-provider.ts';
import { ACS_URL, type SamlService, startSamlService } from './saml-service.ts';

let service: SamlService;

beforeAll(async () => {
  service = await startSamlService();
});
afterAll(() => service.stop());

describe('POST /saml/acs', () => {
  it('creates the account and sends the browser to the account page with a code', async () => {
    const { db, connection, begin, fieldsFor, signedResponse, answer } = service;
    const begun = await begin();
    const fields = fieldsFor(begun, { sessionIndex: 'session-1' });

    const events = await eventsOf(service, async () => {
      const { status, headers } = await answer(signedResponse(fields), begun);
      expect(status).toBe(303);
      expect(headers.get('location')).toMatch(/^http:\/\/localhost:8000\/sso#code=[\w-]{43}$/);
      expect(headers.get('cache-control')).toBe('no-store');
    });

    expect(events.map(({ action, outcome }) => [action, outcome])).toContainEqual(['sso.login', 'success']);
    expect(await db.users.findOne({ email: 'grace@corp.example' })).toMatchObject({
      name: 'Grace Hopper',
    });
    expect(
      await db.ssoSessions.findOne({ connection_id: connection.connection_id, provider_sid: 'session-1' }),
    ).toMatchObject({ subject: 'grace-0001' });
  });

  it('returns the code as JSON to a client that asks for it', async () => {
    const { begin, fieldsFor, signedResponse, post } = service;
    const begun = await begin();
    const SAMLResponse = toBase64(signedResponse(fieldsFor(begun)));

    const { status, body } = await post(
      { SAMLResponse, RelayState: begun.relayState },
      { accept: 'application/json' },
    );
    expect({ status, body }).toEqual({
      status: 200,
      body: { code: expect.stringMatching(/^[\w-]{43}$/), expires_in: 60 },
    });
  });

  it.each([
    ['the response', 'response'],
    ['both', 'both'],
  ])('accepts a signature on %s', async (_what, where) => {
    const { begin, fieldsFor, provider, answer } = service;
    const begun = await begin();
    const fields = fieldsFor(begun);
    const assertion = provider.assertion(fields);
    const content = where === 'both' ? provider.sign(assertion) : assertion;
    expect((await answer(provider.sign(provider.response(fields, content)), begun)).status).toBe(303);
  });

  it.each([
    ['inside, with AES-256-GCM', 'inside', 'http://www.w3.org/2009/xmlenc11#aes256-gcm'],
    ['inside, with AES-128-CBC', 'inside', 'http://www.w3.org/2001/04/xmlenc#aes128-cbc'],
    ['on the response', 'outside', 'http://www.w3.org/2009/xmlenc11#aes256-gcm'],
    ['inside and on the response', 'both', 'http://www.w3.org/2001/04/xmlenc#aes256-cbc'],
  ] as const)('decrypts an assertion with a signature %s', async (_what, where, encryptionAlgorithm) => {
    const { begin, fieldsFor, provider, answer, spKey } = service;
    const begun = await begin();
    const fields = fieldsFor(begun);
    const assertion = provider.assertion(fields);
    const content = await provider.encryptFor(
      spKey.certificate,
      where === 'outside' ? assertion : provider.sign(assertion),
      { encryptionAlgorithm },
    );
    const response = provider.response(fields, content);
    const { status } = await answer(where === 'inside' ? response : provider.sign(response), begun);
    expect(status).toBe(303);
  });

  it('verifies with any of several certificates, so that a provider can replace its own', async () => {
    const { begin, connect, fieldsFor, signedResponse, answer, provider, spKey, audienceOf } = service;
    const connection = await connect({
      saml: { certificates: [spKey.certificate, provider.key.certificate] },
    });
    const begun = await begin(connection);
    const fields = fieldsFor(begun, { audience: audienceOf(connection) });
    // Grace has an identity at the first connection.
    const someone = { nameId: 'alan-0001', attributes: { email: 'alan@corp.example' } };
    expect((await answer(signedResponse({ ...fields, ...someone }), begun)).status).toBe(303);
  });

  it('reads attributes by Name or FriendlyName, as the connection names them', async () => {
    const { db, begin, connect, fieldsFor, signedResponse, answer, audienceOf } = service;
    const connection = await connect({
      attributes: {
        email: 'urn:oid:0.9.2342.19200300.100.1.3',
        firstName: 'givenName',
        lastName: 'sn',
        role: 'groups',
        department: 'department',
      },
    });
    const begun = await begin(connection);
    const fields = fieldsFor(begun, {
      audience: audienceOf(connection),
      nameId: 'edsger-0001',
      attributes: {
        'urn:oid:0.9.2342.19200300.100.1.3': ['edsger@corp.example', 'other@corp.example'],
        'urn:oid:2.5.4.42': 'Edsger',
        sn: 'Dijkstra',
      },
      edit: (xml) =>
        xml.replace('Name="urn:oid:2.5.4.42"', 'Name="urn:oid:2.5.4.42" FriendlyName="givenName"'),
    });
    expect((await answer(signedResponse(fields), begun)).status).toBe(303);
    expect(await db.users.findOne({ email: 'edsger@corp.example' })).toMatchObject({
      name: 'Edsger Dijkstra',
    });
  });

  it('takes the address from a NameID in e-mail format when no attribute has it', async () => {
    const { db, begin, fieldsFor, signedResponse, answer } = service;
    const begun = await begin();
    const fields = fieldsFor(begun, {
      nameId: 'barbara@corp.example',
      nameIdFormat: 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress',
      attributes: { firstName: 'Barbara' },
    });
    expect((await answer(signedResponse(fields), begun)).status).toBe(303);
    expect(await db.users.findOne({ email: 'barbara@corp.example' })).toMatchObject({
      name: 'Barbara',
    });
  });

  it('accepts a large assertion with many groups', async () => {
    const { begin, fieldsFor, signedResponse, answer } = service;
    const begun = await begin();
    const fields = fieldsFor(begun);
    fields.attributes.groups = Array.from(
      { length: 900 },
      (_, n) => `CN=Group number ${n},OU=Groups of the whole company,OU=Directory,DC=corp,DC=example`,
    );
    const xml = signedResponse(fields);
    expect(xml.length).toBeGreaterThan(100_000);
    expect((await answer(xml, begun)).status).toBe(303);
  });

  it('never uses RelayState as an address', async () => {
    const { connect, fieldsFor, signedResponse, post, audienceOf } = service;
    const connection = await connect({ saml: { idp_initiated: true } });
    const fields = fieldsFor(undefined, {
      audience: audienceOf(connection),
      nameId: 'tony-0001',
      attributes: { email: 'tony@corp.example' },
    });
    const { status, headers } = await post({
      SAMLResponse: toBase64(signedResponse(fields)),
      RelayState: 'https://evil.example/',
    });
    expect(status).toBe(303);
    expect(headers.get('location')).toMatch(/^http:\/\/localhost:8000\/sso#code=/);
  });

  it('lets one of 20 equal responses to a request in', async () => {
    const { begin, fieldsFor, signedResponse, answer, created } = service;
    const begun = await begin();
    const xml = signedResponse(fieldsFor(begun));
    const before = await created();
    const answers = await Promise.all(Array.from({ length: 20 }, () => answer(xml, begun)));
    expect(answers.map(({ status }) => status).sort()).toEqual([303, ...Array(19).fill(400)].sort());
    expect(await created()).toEqual({
      ...before,
      sessions: before.sessions + 1,
      codes: before.codes + 1,
    });
  });

  it('lets one of 20 equal responses without a request in', async () => {
    const { connect, fieldsFor, signedResponse, post, created, audienceOf, db, clock } = service;
    const connection = await connect({ saml: { idp_initiated: true } });
    const fields = fieldsFor(undefined, {
      audience: audienceOf(connection),
      nameId: 'ken-0001',
      attributes: { email: 'ken@corp.example' },
    });
    const SAMLResponse = toBase64(signedResponse(fields));
    const before = await created();
    const answers = await Promise.all(Array.from({ length: 20 }, () => post({ SAMLResponse })));
    expect(answers.map(({ status }) => status).sort()).toEqual([303, ...Array(19).fill(403)].sort());
    const after = await created();
    expect(after.sessions - before.sessions).toBe(1);
    expect(after.codes - before.codes).toBe(1);
    expect(after.users - before.users).toBe(1);
    // The assertion is remembered for as long as it is accepted.
    expect(
      await db.ssoUsedMessages.findOne({ key: `${connection.connection_id}:${fields.assertionId}` }),
    ).toMatchObject({ expires_at: new Date(clock.now() + 300_000 + 60_000) });
  });

  it('accepts the clock of a provider that is 50 seconds ahead or behind', async () => {
    const { begin, fieldsFor, signedResponse, answer, clock } = service;
    for (const off of [50_000, -350_000]) {
      const begun = await begin();
      const at = clock.now() + off;
      const fields = fieldsFor(begun, {
        notBefore: at,
        notOnOrAfter: at + 300_000,
        confirmedUntil: at + 300_000,
      });
      expect((await answer(signedResponse(fields), begun)).status).toBe(303);
    }
  });

  it('finds the connection of an encrypted assertion without a request by its issuer', async () => {
    const { connect, fieldsFor, provider, post, spKey, audienceOf } = service;
    const connection = await connect({
      saml: { idp_initiated: true, idp_entity_id: 'https://other.corp.example' },
    });
    const fields = fieldsFor(undefined, {
      audience: audienceOf(connection),
      issuer: 'https://other.corp.example',
      responseIssuer: 'https://other.corp.example',
      nameId: 'don-0001',
      attributes: { email: 'don@corp.example' },
    });
    const content = await provider.encryptFor(spKey.certificate, provider.sign(provider.assertion(fields)));
    const SAMLResponse = toBase64(provider.response(fields, content));
    expect((await post({ SAMLResponse })).status).toBe(303);
    expect(fields.recipient).toBe(ACS_URL);
  });

  it('takes an encrypted assertion at the address of a connection whose issuer another one claims', async () => {
    const { newOrganization, connect, fieldsFor, provider, post, spKey, audienceOf } = service;
    const saml = { idp_initiated: true, idp_entity_id: 'https://claimed.corp.example' };
    const connection = await connect({ saml });
    const claimant = await connect({ saml }, { of: await newOrganization({ domain: 'claimant.example' }) });
    const own = `/saml/acs/${connection.slug}`;
    const response = async (recipient: string) => {
      const fields = fieldsFor(undefined, {
        audience: audienceOf(connection),
        issuer: saml.idp_entity_id,
        responseIssuer: saml.idp_entity_id,
        destination: recipient,
        recipient,
        nameId: 'eve-0001',
        attributes: { email: 'eve@corp.example' },
      });
      const content = await provider.encryptFor(spKey.certificate, provider.sign(provider.assertion(fields)));
      return { SAMLResponse: toBase64(provider.response(fields, content)) };
    };
    const addressed = await response(`http://localhost:8000${own}`);
    expect((await post(addressed, {}, `/saml/acs/${claimant.slug}`)).status).toBe(403);
    expect((await post(await response(ACS_URL), {}, own)).status).toBe(403);
    expect((await post(addressed, {}, own)).status).toBe(303);
    expect((await post(addressed, {}, own)).status).toBe(403);
  });

  it('takes a fresh proof alone after a login that asked for one', async () => {
    const { url, connection, provider, fieldsFor, signedResponse, post, clock } = service;
    async function stepUp(provedAt: number) {
      const begun = await send(`${url}/saml/login/${connection.slug}?prompt=login`);
      const asked = provider.readRequest(String(begun.headers.get('location')));
      expect(asked.xml).toContain('ForceAuthn="true"');
      const instant = `AuthnInstant="${new Date(provedAt).toISOString()}"`;
      const edit = (xml: string) => xml.replace(/AuthnInstant="[^"]*"/, instant);
      const cookie = (begun.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
      const SAMLResponse = toBase64(signedResponse(fieldsFor(asked, { edit })));
      return post({ SAMLResponse, RelayState: asked.relayState }, { cookie });
    }
    expect((await stepUp(clock.now())).status).toBe(303);
    expect((await stepUp(clock.now() - 61_000)).status).toBe(403);
    const refused = await service.db.auditEvents.findOne({ action: 'sso.login' }, { sort: { _id: -1 } });
    expect(refused?.after?.detail).toMatch(/asked for a fresh proof at .*, but the person proved/);
  });

  it('takes an unsigned response without Destination whose assertion is signed', async () => {
    const { begin, fieldsFor, signedResponse, answer } = service;
    const begun = await begin();
    const xml = signedResponse(fieldsFor(begun, { destination: undefined }));
    expect((await answer(xml, begun)).status).toBe(303);
  });

  it('takes the response to a request at the address of its connection alone', async () => {
    const { begin, connect, connection, fieldsFor, signedResponse, post } = service;
    const other = await connect();
    const answerAt = async ({ slug }: { slug: string }) => {
      const { id, relayState } = await begin();
      const recipient = `${ACS_URL}/${slug}`;
      const xml = signedResponse(fieldsFor({ id }, { destination: recipient, recipient }));
      return post({ SAMLResponse: toBase64(xml), RelayState: relayState }, {}, `/saml/acs/${slug}`);
    };
    expect((await answerAt(other)).status).toBe(403);
    expect((await answerAt(connection)).status).toBe(303);
  });
});
