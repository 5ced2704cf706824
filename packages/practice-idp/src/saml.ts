import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { inflateRawSync } from 'node:zlib';
import { escapeMarkup } from '@gatehouse/shared/escape-markup';
import { DOMParser } from '@xmldom/xmldom';
import { SignedXml } from 'xml-crypto';
import { loginPage, messagePage, postingPage, readForm, sendPage } from './pages.ts';
import type { PracticePerson, Staff } from './people.ts';
import type { SigningKey } from './signing-key.ts';

const ENVELOPED = 'http://www.w3.org/2000/09/xmldsig#enveloped-signature';
const EXCLUSIVE = 'http://www.w3.org/2001/10/xml-exc-c14n#';
const PERSISTENT = 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent';

/** Bytes of an inflated request. */
const MAX_REQUEST = 64 * 1024;
/** Milliseconds in which a response counts. */
const VALIDITY = 300_000;

interface AuthnRequest {
  id: string;
  issuer: string;
  acsUrl: string;
}

/** A SAML 2.0 identity provider below /saml, for one service: it answers to addresses of `gatehouse` only. */
export function createSamlProvider(base: string, gatehouse: string, key: SigningKey, staff: Staff) {
  const entityId = `${base}/saml/metadata`;
  const ssoUrl = `${base}/saml/sso`;

  const certificate = key.certificate.replace(/-----[^-]+-----|\s/g, '');
  const metadata = `<md:EntityDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata" entityID="${escapeMarkup(entityId)}"><md:IDPSSODescriptor WantAuthnRequestsSigned="false" protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol"><md:KeyDescriptor use="signing"><ds:KeyInfo xmlns:ds="http://www.w3.org/2000/09/xmldsig#"><ds:X509Data><ds:X509Certificate>${certificate}</ds:X509Certificate></ds:X509Data></ds:KeyInfo></md:KeyDescriptor><md:NameIDFormat>${PERSISTENT}</md:NameIDFormat><md:SingleSignOnService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect" Location="${escapeMarkup(ssoUrl)}"/></md:IDPSSODescriptor></md:EntityDescriptor>`;

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? '/', base);
    if (pathname === '/saml/metadata')
      return void response.writeHead(200, { 'content-type': 'application/samlmetadata+xml' }).end(metadata);
    if (pathname !== '/saml/sso') return sendPage(response, messagePage('There is no such page.'), 404);
    const isForm = request.method === 'POST';
    const {
      username = '',
      password = '',
      ...message
    } = isForm ? await readForm(request) : Object.fromEntries(searchParams);
    const { SAMLRequest = '', RelayState = '' } = message;
    const authnRequest = readRequest(SAMLRequest, gatehouse);
    const person = isForm ? staff.check(username, password) : undefined;
    if (!person) {
      const problem = isForm ? 'The password is wrong.' : '';
      return sendPage(
        response,
        loginPage('/saml/sso', { SAMLRequest, RelayState }, problem),
        isForm ? 401 : 200,
      );
    }
    const xml = signedResponse(authnRequest, person);
    const fields = { SAMLResponse: Buffer.from(xml).toString('base64'), RelayState };
    sendPage(response, postingPage(authnRequest.acsUrl, fields));
  }

  /** A response with a signed assertion about a person (SAML 2.0 Profiles §4.1.4.2). */
  function signedResponse({ id, issuer, acsUrl }: AuthnRequest, person: PracticePerson): string {
    const [now, notBefore, notOnOrAfter] = [0, -30_000, VALIDITY].map((offset) =>
      new Date(Date.now() + offset).toISOString(),
    );
    const { email, firstName, lastName, role, department } = person;
    const attributes = Object.entries({ email, firstName, lastName, role, department }).map(
      ([name, value]) =>
        `<saml:Attribute Name="${name}"><saml:AttributeValue>${escapeMarkup(value)}</saml:AttributeValue></saml:Attribute>`,
    );
    const assertion = [
      `<saml:Assertion xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" ID="_${randomUUID()}" Version="2.0" IssueInstant="${now}">`,
      `<saml:Issuer>${escapeMarkup(entityId)}</saml:Issuer>`,
      `<saml:Subject><saml:NameID Format="${PERSISTENT}">${person.uid}</saml:NameID>`,
      '<saml:SubjectConfirmation Method="urn:oasis:names:tc:SAML:2.0:cm:bearer">',
      `<saml:SubjectConfirmationData Recipient="${escapeMarkup(acsUrl)}" InResponseTo="${escapeMarkup(id)}" NotOnOrAfter="${notOnOrAfter}"/>`,
      '</saml:SubjectConfirmation></saml:Subject>',
      `<saml:Conditions NotBefore="${notBefore}" NotOnOrAfter="${notOnOrAfter}"><saml:AudienceRestriction><saml:Audience>${escapeMarkup(issuer)}</saml:Audience></saml:AudienceRestriction></saml:Conditions>`,
      `<saml:AuthnStatement AuthnInstant="${now}" SessionIndex="_${randomUUID()}"><saml:AuthnContext><saml:AuthnContextClassRef>urn:oasis:names:tc:SAML:2.0:ac:classes:Password</saml:AuthnContextClassRef></saml:AuthnContext></saml:AuthnStatement>`,
      `<saml:AttributeStatement>${attributes.join('')}</saml:AttributeStatement>`,
      '</saml:Assertion>',
    ].join('');
    return [
      `<samlp:Response xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" ID="_${randomUUID()}" Version="2.0" IssueInstant="${now}" Destination="${escapeMarkup(acsUrl)}" InResponseTo="${escapeMarkup(id)}">`,
      `<saml:Issuer>${escapeMarkup(entityId)}</saml:Issuer>`,
      '<samlp:Status><samlp:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:Success"/></samlp:Status>',
      sign(assertion, key),
      '</samlp:Response>',
    ].join('');
  }

  const listener = (request: IncomingMessage, response: ServerResponse): void =>
    void handle(request, response).catch((error: Error) =>
      sendPage(response, messagePage(`The request cannot be read: ${error.message}.`), 400),
    );
  return { entityId, metadataUrl: entityId, listener };
}

/** Signs an assertion: enveloped, after the Issuer. */
function sign(assertion: string, { privateKey, certificate }: SigningKey): string {
  const signed = new SignedXml({
    privateKey,
    publicCert: certificate,
    signatureAlgorithm: 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256',
    canonicalizationAlgorithm: EXCLUSIVE,
  });
  signed.addReference({
    xpath: '/*',
    transforms: [ENVELOPED, EXCLUSIVE],
    digestAlgorithm: 'http://www.w3.org/2001/04/xmlenc#sha256',
  });
  signed.computeSignature(assertion, {
    prefix: 'ds',
    location: { reference: "/*/*[local-name()='Issuer']", action: 'after' },
  });
  return signed.getSignedXml();
}

/** Reads a request with the HTTP-Redirect binding. @throws when it is not one of the service. */
function readRequest(encoded: string, gatehouse: string): AuthnRequest {
  const xml = inflateRawSync(Buffer.from(encoded, 'base64'), { maxOutputLength: MAX_REQUEST }).toString();
  const root = new DOMParser().parseFromString(xml, 'text/xml').documentElement;
  if (root?.localName !== 'AuthnRequest') throw new Error('it is no AuthnRequest');
  const acsUrl = root.getAttribute('AssertionConsumerServiceURL') ?? '';
  if (!acsUrl.startsWith(`${gatehouse}/`)) throw new Error(`${acsUrl} is not an address of ${gatehouse}`);
  const issuer =
    root.getElementsByTagNameNS('urn:oasis:names:tc:SAML:2.0:assertion', 'Issuer')[0]?.textContent ?? '';
  return { id: root.getAttribute('ID') ?? '', issuer, acsUrl };
}
