import type { SsoOptions } from '../dependencies.ts';
import { SsoRefusal } from '../refusal.ts';
import { decryptAssertion } from './decrypt-assertion.ts';
import { NAMESPACE, STATUS_SUCCESS } from './names.ts';
import { type ProviderMessage, parseMessage } from './read-message.ts';
import { requireStrongSignatures } from './require-signatures.ts';
import { entityIdOf, openSpKeys, type SamlConnection, serviceProvider } from './service-provider.ts';
import { type Assertion, verifyAssertion, verifyInResponseTo, verifyIssuer } from './verify-assertion.ts';
import { attribute, childElements, descendants, textOf } from './xml.ts';

const refuse = (detail: string): never => {
  throw new SsoRefusal('message refused', detail);
};

/**
 * Verifies a provider's response (SAML 2.0 Profiles §4.1.4). The assertion comes from the octets that a signature
 * covers, never from the message itself.
 * @param received.at our address that received it.
 * @param received.request_id the ID of our request; undefined when the login began at the provider.
 * @param received.authenticated_after when our request asked for a fresh login.
 * @throws {SsoRefusal} provider refused or message refused.
 */
export async function verifyResponse(
  options: Pick<SsoOptions, 'config' | 'secrets' | 'now'>,
  connection: SamlConnection,
  { xml, root: response }: ProviderMessage,
  {
    at,
    request_id,
    authenticated_after,
  }: { at: string; request_id: string | undefined; authenticated_after: Date | undefined },
): Promise<Assertion> {
  const expected = {
    issuer: connection.saml.idp_entity_id,
    audience: entityIdOf(options.config, connection.slug),
    recipient: at,
    inResponseTo: request_id,
    authenticatedAfter: authenticated_after,
    now: options.now(),
  };
  verifyEnvelope(response, expected);
  const { privateKey, ...signed } = await signedElements(response, () => openSpKeys(options, connection));
  if (!signed.response && !signed.assertion)
    return refuse('neither the response nor the assertion is signed');
  // SAML 2.0 Bindings §3.5.5.2 requires it of a signed message only.
  if (signed.response && attribute(response, 'Destination') === undefined)
    return refuse('the response is signed, but has no Destination');
  const provider = await serviceProvider(options, connection, {
    ...(privateKey !== undefined && { decryptionPvk: privateKey }),
    // Every signature that is present must be valid, and one must be present.
    wantAuthnResponseSigned: signed.response,
    wantAssertionsSigned: signed.assertion,
  });
  const assertion = await provider
    .validatePostResponseAsync({ SAMLResponse: Buffer.from(xml).toString('base64') })
    .then(({ profile }) => profile?.getAssertionXml?.())
    .catch((error: Error) => {
      throw new SsoRefusal('message refused', `the response cannot be verified: ${error.message}`, error);
    });
  if (assertion === undefined) return refuse('the response has no assertion');
  return verifyAssertion(parseMessage('the signed assertion', Buffer.from(assertion)).root, expected);
}

/** Checks what surrounds the assertion. It may be unsigned: the assertion repeats all that access depends on. */
function verifyEnvelope(
  response: Element,
  {
    issuer,
    recipient,
    inResponseTo,
  }: { issuer: string; recipient: string; inResponseTo: string | undefined },
): void {
  if (response.localName !== 'Response' || response.namespaceURI !== NAMESPACE.protocol)
    refuse(`the message is a ${response.localName}, not a Response`);
  if (attribute(response, 'Version') !== '2.0') refuse('the response is not of SAML 2.0');
  const destination = attribute(response, 'Destination');
  if (destination !== undefined && destination !== recipient)
    refuse(`the destination is ${destination}, not ${recipient}`);
  verifyInResponseTo(response, inResponseTo);
  if (childElements(response, NAMESPACE.assertion, 'Issuer').length > 0) verifyIssuer(response, issuer);
  verifyStatus(response);
}

function verifyStatus(response: Element): void {
  const [status = refuse('the response has no status')] = childElements(
    response,
    NAMESPACE.protocol,
    'Status',
  );
  const codes = descendants(status, NAMESPACE.protocol, 'StatusCode').map((code) => attribute(code, 'Value'));
  if (codes[0] === STATUS_SUCCESS) return;
  const [message] = childElements(status, NAMESPACE.protocol, 'StatusMessage');
  const words = [...codes, message && textOf(message)].filter(Boolean).join(', ');
  throw new SsoRefusal('provider refused', `the status is ${words}`);
}

/** Tells whether the response and its only assertion are signed, and which key of ours decrypts the assertion. */
async function signedElements(
  response: Element,
  openKeys: () => readonly string[],
): Promise<{ response: boolean; assertion: boolean; privateKey?: string }> {
  // Anywhere in the document: wrapping attacks hide the signed assertion next to or inside another.
  const assertions = ['Assertion', 'EncryptedAssertion'].flatMap((name) => descendants(response, '*', name));
  const [assertion, another] = assertions;
  if (!assertion || another) return refuse('the response must have exactly one assertion');
  if (assertion.parentNode !== response || assertion.namespaceURI !== NAMESPACE.assertion)
    return refuse('the assertion is at a place where none may be');
  if (descendants(response, '*', 'Response').length > 0) return refuse('the response contains another');

  const signed = requireStrongSignatures(response, [response, assertion]);
  if (assertion.localName === 'Assertion')
    return { response: signed.includes(response), assertion: signed.includes(assertion) };

  const { decrypted, privateKey } = await decryptAssertion(assertion, openKeys());
  if (decrypted.localName !== 'Assertion' || descendants(decrypted, '*', 'Assertion').length > 0)
    return refuse('the encrypted content is not one assertion');
  const inner = requireStrongSignatures(decrypted, [decrypted]);
  return { response: signed.includes(response), assertion: inner.length > 0, privateKey };
}
