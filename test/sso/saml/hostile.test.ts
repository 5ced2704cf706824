import { createPublicKey } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventsOf } from '../../fixtures/audit.ts';
import { type SigningKey, signingKey } from '../../fixtures/certificates.ts';
import { type Answered, send } from '../../fixtures/http.ts';
import { type ResponseFields, toBase64 } from '../../fixtures/saml-provider.ts';
import { type SamlService, startSamlService } from './saml-service.ts';
import { wrappingAttacks } from './wrapping.ts';

let service: SamlService;
let stranger: SigningKey;

beforeAll(async () => {
  service = await startSamlService();
  stranger = await signingKey('stranger');
});
afterAll(() => service.stop());

const WORDS = {
  'message refused': [403, 'The answer of your identity provider was not accepted'],
  'message malformed': [400, 'Your identity provider sent an answer that could not be read'],
  'message used before': [403, 'has been used already'],
  'login not begun here': [400, 'This login was not begun in this browser'],
  'login begun at the provider': [403, 'This login began at your identity provider'],
  'provider refused': [403, 'Your identity provider refused the login'],
} as const;

/**
 * Takes a step that must fail: with a page in words, a log line and an audit event that say why, and nothing created.
 */
async function expectRefused(
  step: () => Promise<Answered>,
  outcome: keyof typeof WORDS,
  detail: RegExp,
  { connection_id = service.connection.connection_id as string | null } = {},
) {
  const { created, logged } = service;
  const [status, words] = WORDS[outcome];
  const before = await created();
  logged.length = 0;
  let answer: Answered | undefined;
  const events = await eventsOf(service, async () => {
    answer = await step();
  });

  expect(events).toMatchObject([
    {
      action: 'sso.login',
      outcome,
      after: { detail: expect.stringMatching(detail) },
      target: connection_id === null ? {} : { connection_id },
    },
  ]);
  expect(logged.map((line) => JSON.parse(line))).toMatchObject([
    { refusal: outcome, detail: expect.stringMatching(detail) },
  ]);
  expect(answer).toMatchObject({ status });
  expect(answer?.headers.get('content-type')).toBe('text/html; charset=utf-8');
  expect(answer?.body).toContain(words);
  expect(answer?.body).toContain(answer?.headers.get('x-request-id'));
  expect(answer?.body).not.toMatch(detail);
  expect(await created()).toEqual(before);
}

/** Posts what `build` makes of the fields of an honest response to a login that began here. */
async function attempt(build: (fields: ResponseFields) => string | Promise<string>) {
  const begun = await service.begin();
  return service.answer(await build(service.fieldsFor(begun)), begun);
}

const minutes = (count: number) => count * 60_000;
const OTHER = 'https://other.example/saml/acs';

/** What an honest provider would sign, but for somebody else, at another time or in another way. */
const FIELDS: [what: string, changes: (fields: ResponseFields) => Partial<ResponseFields>, detail: RegExp][] =
  [
    [
      'another audience',
      () => ({ audience: 'https://other.example' }),
      /the audience is https:\/\/other.example, not/,
    ],
    [
      'another destination',
      () => ({ destination: OTHER }),
      /the destination is https:\/\/other.example\/saml\/acs/,
    ],
    [
      'another recipient',
      () => ({ recipient: OTHER }),
      /the recipient is https:\/\/other.example\/saml\/acs/,
    ],
    ['no recipient', () => ({ recipient: undefined }), /the recipient is absent/],
    ['another issuer', () => ({ issuer: 'https://evil.example' }), /the issuer is https:\/\/evil.example/],
    [
      'another issuer of the response',
      () => ({ responseIssuer: 'https://evil.example' }),
      /the issuer is https:\/\/evil.example/,
    ],
    ['an answer to another request', () => ({ inResponseTo: '_other' }), /InResponseTo is _other, not _/],
    ['an answer to no request', () => ({ inResponseTo: undefined }), /InResponseTo is absent, not _/],
    [
      'an expired assertion',
      ({ now }) => ({ notOnOrAfter: now - minutes(1) }),
      /NotOnOrAfter is .* our clock shows/,
    ],
    [
      'an assertion of the future',
      ({ now }) => ({ notBefore: now + minutes(1) + 1 }),
      /NotBefore is .* our clock/,
    ],
    [
      'an expired confirmation',
      ({ now }) => ({ confirmedUntil: now - minutes(1) }),
      /NotOnOrAfter is .* our clock/,
    ],
    ['a confirmation without end', () => ({ confirmedUntil: undefined }), /NotOnOrAfter/],
    [
      'a transient NameID',
      () => ({ nameIdFormat: 'urn:oasis:names:tc:SAML:2.0:nameid-format:transient' }),
      /transient/,
    ],
    ['an empty NameID', () => ({ nameId: ' ' }), /the NameID is empty/],
  ];

/** Changes to the assertion before it is signed. */
const EDITS: [what: string, edit: (xml: string) => string, detail: RegExp][] = [
  ['a time that is none', (xml) => xml.replace(/NotBefore="[^"]*"/, 'NotBefore="soon"'), /not a time in UTC/],
  [
    'a session that has ended',
    (xml) =>
      xml.replace('<saml:AuthnStatement', '<saml:AuthnStatement SessionNotOnOrAfter="2020-01-01T00:00:00Z"'),
    /SessionNotOnOrAfter is 2020/,
  ],
  [
    'no AuthnStatement',
    (xml) => xml.replace(/<saml:AuthnStatement.*<\/saml:AuthnStatement>/, ''),
    /no AuthnStatement/,
  ],
  [
    'no Conditions',
    (xml) => xml.replace(/<saml:Conditions.*<\/saml:Conditions>/, ''),
    /exactly one Conditions/,
  ],
  [
    'no audience',
    (xml) => xml.replace(/<saml:AudienceRestriction>.*<\/saml:AudienceRestriction>/, ''),
    /names no audience/,
  ],
  [
    'a second audience restriction',
    (xml) =>
      xml.replace(
        '</saml:Conditions>',
        '<saml:AudienceRestriction><saml:Audience>x</saml:Audience></saml:AudienceRestriction></saml:Conditions>',
      ),
    /the audience is x, not/,
  ],
  [
    'an unknown condition',
    (xml) => xml.replace('</saml:Conditions>', '<saml:Condition/></saml:Conditions>'),
    /the condition Condition is unknown/,
  ],
  [
    'a holder-of-key confirmation',
    (xml) => xml.replace('cm:bearer', 'cm:holder-of-key'),
    /no bearer confirmation/,
  ],
  [
    'a NameID for another service provider',
    (xml) => xml.replace('<saml:NameID', '<saml:NameID SPNameQualifier="https://other.example"'),
    /the NameID is for https:\/\/other.example/,
  ],
  [
    'two NameIDs',
    (xml) => xml.replace('<saml:NameID', '<saml:NameID>mallory</saml:NameID><saml:NameID'),
    /exactly one NameID/,
  ],
  ['SAML 1.1', (xml) => xml.replace('Version="2.0"', 'Version="1.1"'), /not of SAML 2.0/],
];

const SHA1_SIGNATURE = 'http://www.w3.org/2000/09/xmldsig#rsa-sha1';
const SHA1_DIGEST = 'http://www.w3.org/2000/09/xmldsig#sha1';
const HMAC = 'http://www.w3.org/2000/09/xmldsig#hmac-sha1';

describe('a response that is refused', () => {
  it.each(FIELDS)('has %s', (_what, changes, detail) =>
    expectRefused(
      () => attempt((fields) => service.signedResponse({ ...fields, ...changes(fields) })),
      'message refused',
      detail,
    ),
  );

  it.each(EDITS)('has %s', (_what, edit, detail) =>
    expectRefused(
      () => attempt((fields) => service.signedResponse({ ...fields, edit })),
      'message refused',
      detail,
    ),
  );

  it('is signed and has no destination', () =>
    expectRefused(
      () =>
        attempt((fields) => {
          const { provider } = service;
          const unaddressed = { ...fields, destination: undefined };
          return provider.sign(
            provider.response(unaddressed, provider.sign(provider.assertion(unaddressed))),
          );
        }),
      'message refused',
      /the response is signed, but has no Destination/,
    ));

  it('is not signed', () =>
    expectRefused(
      () => attempt((fields) => service.provider.response(fields, service.provider.assertion(fields))),
      'message refused',
      /neither the response nor the assertion is signed/,
    ));

  it.each([1, 2, 3, 4, 5, 6, 7, 8])('is wrapped: XSW%i', (number) =>
    expectRefused(
      () =>
        attempt((fields) => {
          const attacks = Object.entries(wrappingAttacks(service.provider, fields));
          return attacks.find(([name]) => name.startsWith(`XSW${number}:`))?.[1] ?? '';
        }),
      'message refused',
      /exactly one assertion/,
    ),
  );

  it('was changed after it was signed', () =>
    expectRefused(
      () => attempt((fields) => service.signedResponse(fields).replaceAll('grace@', 'mallory@')),
      'message refused',
      /the response cannot be verified/,
    ));

  it('has a signature on the response that does not verify beside a valid one on the assertion', () =>
    expectRefused(
      () =>
        attempt((fields) =>
          service.provider
            .sign(service.signedResponse(fields))
            .replace('<samlp:Status>', '<samlp:Status><samlp:StatusDetail/>'),
        ),
      'message refused',
      /the response cannot be verified: Invalid document signature/,
    ));

  it.each([
    [
      'a SHA-1 signature',
      { signatureAlgorithm: SHA1_SIGNATURE },
      /the SignatureMethod .*rsa-sha1 is not accepted/,
    ],
    ['a SHA-1 digest', { digestAlgorithm: SHA1_DIGEST }, /the DigestMethod .*sha1 is not accepted/],
  ])('has %s', async (_what, signing, detail) => {
    const { provider, spKey, signedResponse } = service;
    await expectRefused(
      () => attempt((fields) => signedResponse(fields, signing)),
      'message refused',
      detail,
    );
    // Nor beside a strong one, nor where only decryption finds it.
    await expectRefused(
      () => attempt((fields) => provider.sign(signedResponse(fields, signing))),
      'message refused',
      detail,
    );
    await expectRefused(
      () =>
        attempt(async (fields) =>
          provider.response(
            fields,
            await provider.encryptFor(spKey.certificate, provider.sign(provider.assertion(fields), signing)),
          ),
        ),
      'message refused',
      detail,
    );
  });

  it('has an HMAC with the public key of the provider as its secret', () => {
    const publicKey = createPublicKey(service.provider.key.certificate)
      .export({ type: 'spki', format: 'pem' })
      .toString();
    return expectRefused(
      () =>
        attempt((fields) =>
          service.signedResponse(fields, {
            signatureAlgorithm: HMAC,
            key: { privateKey: publicKey, certificate: service.provider.key.certificate },
          }),
        ),
      'message refused',
      /the SignatureMethod .*hmac-sha1 is not accepted/,
    );
  });

  it.each([
    ['with its own certificate', () => stranger],
    [
      'with the certificate of the provider',
      () => ({ ...stranger, certificate: service.provider.key.certificate }),
    ],
    ['of another connection', () => service.spKey],
  ])('is signed by another key %s', (_what, key) =>
    expectRefused(
      () => attempt((fields) => service.signedResponse(fields, { key: key() })),
      'message refused',
      /the response cannot be verified/,
    ),
  );

  it('has a signature over another element', () =>
    expectRefused(
      () =>
        attempt((fields) => {
          const other = service.provider.sign(
            service.provider.assertion({ ...fields, assertionId: '_other' }),
          );
          const [signature = ''] = /<ds:Signature .*<\/ds:Signature>/s.exec(other) ?? [];
          const assertion = service.provider.assertion(fields);
          return service.provider.response(
            fields,
            assertion.replace('</saml:Issuer>', `</saml:Issuer>${signature}`),
          );
        }),
      'message refused',
      /a signature covers another element/,
    ));

  it('has a signature with a long list of prefixes', () =>
    expectRefused(
      () =>
        attempt((fields) =>
          service
            .signedResponse(fields)
            .replace(
              '<ds:Transforms>',
              `<ds:Transforms><ec:InclusiveNamespaces xmlns:ec="http://www.w3.org/2001/10/xml-exc-c14n#" PrefixList="${'p '.repeat(150)}"/>`,
            ),
        ),
      'message refused',
      /a signature lists too many prefixes/,
    ));

  it('has a transform that selects a part', () =>
    expectRefused(
      () =>
        attempt((fields) =>
          service.signedResponse(fields).replace('xmldsig#enveloped-signature', 'xpath-filter2#intersect'),
        ),
      'message refused',
      /the Transform .* is not accepted/,
    ));

  it.each([
    ['a comment', 'grace-0001<!-- -->.evil'],
    ['a processing instruction', 'grace-0001<?x?>.evil'],
  ])('has %s inside the NameID', async (_what, nameId) => {
    const { provider, spKey, signedResponse } = service;
    const edit = (xml: string) => xml.replace('grace-0001', nameId);
    const detail = /has comments or processing instructions/;
    // The signature stays valid: it does not cover comments.
    await expectRefused(() => attempt((fields) => edit(signedResponse(fields))), 'message malformed', detail);
    await expectRefused(
      () =>
        attempt(async (fields) => {
          const assertion = edit(provider.sign(provider.assertion(fields)));
          return provider.response(fields, await provider.encryptFor(spKey.certificate, assertion));
        }),
      'message refused',
      detail,
    );
  });

  it('has two assertions', () =>
    expectRefused(
      () =>
        attempt((fields) => {
          const { provider } = service;
          const assertions = [fields, { ...fields, assertionId: '_second' }].map((each) =>
            provider.sign(provider.assertion(each)),
          );
          return provider.sign(provider.response(fields, assertions.join('')));
        }),
      'message refused',
      /exactly one assertion/,
    ));

  it('has an assertion beside an encrypted one', () =>
    expectRefused(
      () =>
        attempt(async (fields) => {
          const { provider, spKey } = service;
          const signed = provider.sign(provider.assertion(fields));
          return provider.response(fields, signed + (await provider.encryptFor(spKey.certificate, signed)));
        }),
      'message refused',
      /exactly one assertion/,
    ));

  it('has no assertion', () =>
    expectRefused(
      () => attempt((fields) => service.provider.sign(service.provider.response(fields, ''))),
      'message refused',
      /exactly one assertion/,
    ));

  it('is no response', () =>
    expectRefused(
      () =>
        attempt((fields) =>
          service.signedResponse(fields).replaceAll('samlp:Response', 'samlp:ArtifactResponse'),
        ),
      'message refused',
      /the message is a ArtifactResponse/,
    ));

  it('says that the provider refused the login', () =>
    expectRefused(
      () =>
        attempt((fields) =>
          service.provider.response(
            { ...fields, status: 'urn:oasis:names:tc:SAML:2.0:status:Responder' },
            '',
          ),
        ),
      'provider refused',
      /the status is urn:oasis:names:tc:SAML:2.0:status:Responder/,
    ));
});

describe('an encrypted assertion that is refused', () => {
  const encrypted = (change: (content: string) => string, certificate?: string) => () =>
    attempt(async (fields) => {
      const { provider, spKey } = service;
      const assertion = provider.sign(provider.assertion(fields));
      return provider.response(
        fields,
        change(await provider.encryptFor(certificate ?? spKey.certificate, assertion)),
      );
    });

  it('is not signed', () =>
    expectRefused(
      () =>
        attempt(async (fields) => {
          const { provider, spKey } = service;
          return provider.response(
            fields,
            await provider.encryptFor(spKey.certificate, provider.assertion(fields)),
          );
        }),
      'message refused',
      /neither the response nor the assertion is signed/,
    ));

  it('is encrypted for another key', () =>
    expectRefused(
      encrypted((xml) => xml, stranger.certificate),
      'message refused',
      /cannot be decrypted/,
    ));

  it('was changed', () =>
    expectRefused(
      encrypted((xml) => xml.replace(/(<e:CipherValue>)..(?=[^<]{200})/g, '$1AA')),
      'message refused',
      /cannot be decrypted/,
    ));

  it.each([
    [
      'RSA PKCS #1 v1.5',
      'http://www.w3.org/2001/04/xmlenc#rsa-oaep-mgf1p',
      'http://www.w3.org/2001/04/xmlenc#rsa-1_5',
    ],
    [
      'triple DES',
      'http://www.w3.org/2009/xmlenc11#aes256-gcm',
      'http://www.w3.org/2001/04/xmlenc#tripledes-cbc',
    ],
  ])('uses %s', (_what, from, to) =>
    expectRefused(
      encrypted((xml) => xml.replace(from, to)),
      'message refused',
      /the EncryptionMethod .* is not accepted/,
    ),
  );
});

describe('XML that is refused', () => {
  it.each([
    [
      'a document type',
      (xml: string) => `<!DOCTYPE samlp:Response>${xml}`,
      /has a document type declaration/,
    ],
    [
      'an external entity',
      (xml: string) =>
        `<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]>${xml.replace('grace-0001', '&e;')}`,
      /has a document type declaration/,
    ],
    [
      'an entity bomb',
      (xml: string) => {
        const entities = Array.from({ length: 9 }, (_, n) => `<!ENTITY a${n + 1} "${`&a${n};`.repeat(10)}">`);
        return `<!DOCTYPE x [<!ENTITY a0 "ha">${entities.join('')}]>${xml.replace('grace-0001', '&a9;')}`;
      },
      /has a document type declaration/,
    ],
    ['an unknown entity', (xml: string) => xml.replace('grace-0001', '&grace;'), /is not well-formed XML/],
    ['an unclosed element', (xml: string) => xml.slice(0, -5), /is not well-formed XML/],
    ['two root elements', (xml: string) => xml + xml, /is not well-formed XML/],
    ['an attribute twice', (xml: string) => xml.replace('ID=', 'ID="_a" ID='), /is not well-formed XML/],
    [
      'deep nesting',
      (xml: string) =>
        xml.replace('<samlp:Status>', `${'<a>'.repeat(200)}${'</a>'.repeat(200)}<samlp:Status>`),
      /is nested too deeply/,
    ],
    [
      'too many elements',
      (xml: string) => xml.replace('<samlp:Status>', `${'<a/>'.repeat(2_000)}<samlp:Status>`),
      /has too many elements/,
    ],
    ['no text', () => '', /is not Base64/],
    ['JSON', () => '{"email":"grace@corp.example"}', /is not well-formed XML/],
  ])('has or is %s', (_what, change, detail) =>
    expectRefused(
      () => attempt((fields) => change(service.signedResponse(fields))),
      'message malformed',
      detail,
    ),
  );
});

describe('a form that is refused', () => {
  /** Posts a body for a login that began here. */
  async function submit(
    bodyOf: (SAMLResponse: string, RelayState: string) => string,
    contentType = 'application/x-www-form-urlencoded',
  ): Promise<Answered> {
    const { begin, fieldsFor, signedResponse, url } = service;
    const begun = await begin();
    const message = toBase64(signedResponse(fieldsFor(begun)));
    return send(`${url}/saml/acs`, {
      method: 'POST',
      headers: { accept: 'text/html', 'content-type': contentType },
      body: bodyOf(message, begun.relayState),
    });
  }
  const encode = encodeURIComponent;

  it.each([
    [
      'two SAMLResponse fields',
      (message: string, state: string) =>
        `SAMLResponse=${encode(message)}&SAMLResponse=${encode(message)}&RelayState=${state}`,
      /SAMLResponse is given more than once/,
    ],
    [
      'two RelayState fields',
      (message: string, state: string) =>
        `SAMLResponse=${encode(message)}&RelayState=${state}&RelayState=${state}`,
      /RelayState is given more than once/,
    ],
    [
      'a malformed percent-encoding',
      (message: string, state: string) => `SAMLResponse=${encode(message)}%zz&RelayState=${state}`,
      /malformed percent-encoding/,
    ],
    ['no SAMLResponse', (_: string, state: string) => `RelayState=${state}`, /SAMLResponse is required/],
    [
      '256 KiB',
      (_: string, state: string) => `SAMLResponse=${'A'.repeat(256 * 1024)}&RelayState=${state}`,
      /The form is too large/,
    ],
    [
      '10 MB',
      (_: string, state: string) => `SAMLResponse=${'A'.repeat(10_000_000)}&RelayState=${state}`,
      /The form is too large/,
    ],
  ])('has %s', (_what, bodyOf, detail) =>
    expectRefused(() => submit(bodyOf), 'message malformed', detail, { connection_id: null }),
  );

  it.each([
    ['percent-encoded twice', (message: string) => encode(encode(message)), /is not Base64/],
    ['not Base64', () => 'PHNhbWxw*', /is not Base64/],
    [
      'not UTF-8',
      () => encode(Buffer.from([0x3c, 0x61, 0xff, 0x2f, 0x3e]).toString('base64')),
      /is not UTF-8/,
    ],
  ])('has a SAMLResponse that is %s', (_what, change, detail) =>
    expectRefused(
      () => submit((message, state) => `SAMLResponse=${change(message)}&RelayState=${state}`),
      'message malformed',
      detail,
    ),
  );

  it('is JSON', () =>
    expectRefused(
      () =>
        submit(
          (SAMLResponse, RelayState) => JSON.stringify({ SAMLResponse, RelayState }),
          'application/json',
        ),
      'message malformed',
      /The request is malformed/,
      { connection_id: null },
    ));

  it('is answered in JSON to a client that asks for it', async () => {
    const answer = await service.post({ RelayState: 'x' }, { accept: 'application/json' });
    expect({ status: answer.status, body: answer.body }).toEqual(
      service.failure(
        answer,
        400,
        'MISSING_FIELD',
        'A required field is missing',
        'SAMLResponse is required',
      ),
    );
  });
});

describe('a login that is refused', () => {
  const unknown = { connection_id: null };

  it('has a RelayState that nobody began', () =>
    expectRefused(
      async () => {
        const begun = await service.begin();
        const xml = service.signedResponse(service.fieldsFor(begun));
        return service.answer(xml, { relayState: 'A'.repeat(43) });
      },
      'login not begun here',
      /the state is unknown, used or expired/,
      unknown,
    ));

  it('took more than ten minutes', () =>
    expectRefused(
      async () => {
        const begun = await service.begin();
        service.clock.advance(600);
        return service.answer(service.signedResponse(service.fieldsFor(begun)), begun);
      },
      'login not begun here',
      /the state is unknown, used or expired/,
      unknown,
    ));

  it('is replayed', async () => {
    const begun = await service.begin();
    const xml = service.signedResponse(service.fieldsFor(begun));
    expect((await service.answer(xml, begun)).status).toBe(303);
    await expectRefused(
      () => service.answer(xml, begun),
      'login not begun here',
      /the state is unknown, used or expired/,
      unknown,
    );
    // For another login, which the response does not answer.
    const later = await service.begin();
    await expectRefused(() => service.answer(xml, later), 'message refused', /InResponseTo is _.*, not _/);
  });

  it.each([
    ['without RelayState', undefined],
    ['with the address of another host as RelayState', 'https://evil.example/'],
  ])('began at the provider %s, which the connection does not allow', (_what, RelayState) =>
    expectRefused(
      () => {
        const SAMLResponse = toBase64(service.signedResponse(service.fieldsFor(undefined)));
        return service.post({ SAMLResponse, ...(RelayState !== undefined && { RelayState }) });
      },
      'login begun at the provider',
      /the connection has no idp_initiated/,
    ),
  );

  it('began at a provider that no connection with idp_initiated has, encrypted', async () => {
    const { fieldsFor, provider, post, spKey } = service;
    const fields = fieldsFor(undefined, {
      issuer: 'https://nobody.example',
      responseIssuer: 'https://nobody.example',
    });
    const content = await provider.encryptFor(spKey.certificate, provider.sign(provider.assertion(fields)));
    await expectRefused(
      () => post({ SAMLResponse: toBase64(provider.response(fields, content)) }),
      'login not begun here',
      /no connection for this response allows logins that begin at the provider/,
      unknown,
    );
  });

  it('began at the provider of a connection that is disabled', async () => {
    const { connect, fieldsFor, signedResponse, post, audienceOf, db } = service;
    const connection = await connect({ saml: { idp_initiated: true } });
    const { connection_id } = connection;
    await db.ssoConnections.updateOne({ connection_id }, { $set: { enabled: false } });
    const SAMLResponse = toBase64(signedResponse(fieldsFor(undefined, { audience: audienceOf(connection) })));
    const events = await eventsOf(service, async () =>
      expect((await post({ SAMLResponse })).status).toBe(403),
    );
    expect(events).toMatchObject([
      { action: 'sso.login', outcome: 'connection disabled', target: { connection_id } },
    ]);
  });

  it('answers a request with the address of another host as RelayState', () =>
    expectRefused(
      async () => {
        const begun = await service.begin();
        const xml = service.signedResponse(service.fieldsFor(begun));
        return service.answer(xml, { relayState: 'https://evil.example/' });
      },
      'login not begun here',
      /its RelayState is not that of a login/,
      unknown,
    ));

  it('is missing because the address is loaded again', () =>
    expectRefused(
      () => send(`${service.url}/saml/acs`, { headers: { accept: 'text/html' } }),
      'login not begun here',
      /opened without a response/,
      unknown,
    ));

  it('began at the provider and is replayed', async () => {
    const { connect, fieldsFor, signedResponse, post, audienceOf } = service;
    const connection = await connect({ saml: { idp_initiated: true } });
    const SAMLResponse = toBase64(
      signedResponse(
        fieldsFor(undefined, {
          audience: audienceOf(connection),
          nameId: 'mary-0001',
          attributes: { email: 'mary@corp.example' },
        }),
      ),
    );
    expect((await post({ SAMLResponse })).status).toBe(303);
    await expectRefused(() => post({ SAMLResponse }), 'message used before', /^_/, connection);
  });

  it('mixes up two connections of one provider', async () => {
    const { connect, begin, fieldsFor, signedResponse, answer, audienceOf } = service;
    const other = await connect();
    const begun = await begin(other);
    // The provider answers for the first connection.
    await expectRefused(
      () => answer(signedResponse(fieldsFor(begun)), begun),
      'message refused',
      /the audience is .*, not /,
      other,
    );
    expect(audienceOf(other)).not.toBe(audienceOf(service.connection));
  });

  it('is signed by the provider of another connection, which claims the same name', async () => {
    const { newOrganization, connect, begin, fieldsFor, signedResponse, answer, provider } = service;
    const hostile = await newOrganization({ domain: 'hostile.example' });
    await connect({ saml: { certificates: [stranger.certificate] } }, { of: hostile });
    const begun = await begin();
    await expectRefused(
      () => answer(signedResponse(fieldsFor(begun), { key: stranger }), begun),
      'message refused',
      /the response cannot be verified/,
    );
    expect(provider.entityId).toBe(service.connection.saml?.idp_entity_id);
  });

  it('is for an encrypted assertion whose issuer two connections claim', async () => {
    const { newOrganization, connect, fieldsFor, provider, post, spKey, audienceOf } = service;
    const hostile = await newOrganization({ domain: 'hostile2.example' });
    const saml = { idp_initiated: true, idp_entity_id: 'https://claimed.example' };
    const connection = await connect({ saml });
    await connect({ saml }, { of: hostile });
    const fields = fieldsFor(undefined, {
      audience: audienceOf(connection),
      issuer: saml.idp_entity_id,
      responseIssuer: saml.idp_entity_id,
    });
    const content = await provider.encryptFor(spKey.certificate, provider.sign(provider.assertion(fields)));
    await expectRefused(
      () => post({ SAMLResponse: toBase64(provider.response(fields, content)) }),
      'login not begun here',
      /several connections have the issuer/,
      unknown,
    );
  });

  it('is exchanged in another browser', async () => {
    const { begin, fieldsFor, signedResponse, answer, url } = service;
    const begun = await begin();
    const other = await begin();
    const { headers } = await answer(signedResponse(fieldsFor(begun)), begun);
    const code = headers.get('location')?.split('#code=')[1];
    const exchange = (cookie: string) =>
      send(`${url}/api/v1/auth/sso/exchange`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', cookie },
        body: JSON.stringify({ code }),
      });
    expect(other.cookie).not.toBe(begun.cookie);
    expect((await exchange(other.cookie)).status).toBe(400);
    expect(await exchange(begun.cookie)).toMatchObject({
      status: 200,
      body: { access_token: expect.any(String) },
    });
  });
});
