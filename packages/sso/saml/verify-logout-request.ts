import type { SsoOptions } from '../dependencies.ts';
import { SsoRefusal } from '../refusal.ts';
import { NAMESPACE } from './names.ts';
import type { ProviderMessage } from './read-message.ts';
import { requireStrongSignatures } from './require-signatures.ts';
import { entityIdOf, logoutUrlOf, type SamlConnection, serviceProvider } from './service-provider.ts';
import { CLOCK_SKEW, subjectOf, timeOf, verifyIssuer, verifyPeriod } from './verify-assertion.ts';
import { attribute, childElements, textOf } from './xml.ts';

/** Milliseconds for which a request is accepted. */
const LIFETIME = 300_000;

/** The sessions that a provider asks to end: all of a person, or those with an index. */
export interface LogoutRequest {
  id: string;
  subject: string;
  sessionIndexes: string[];
  /** Unix milliseconds. */
  acceptedUntil: number;
}

const refuse = (detail: string): never => {
  throw new SsoRefusal('message refused', detail);
};

/**
 * Verifies the signature of a request of the HTTP-POST binding. It covers the whole message: its reference is the root
 * element, and no transform leaves anything out but the signature itself.
 * @throws {SsoRefusal} message refused.
 */
export async function verifyPostSignature(
  options: Pick<SsoOptions, 'config'>,
  connection: SamlConnection,
  { xml, root }: ProviderMessage,
): Promise<void> {
  if (requireStrongSignatures(root, [root]).length === 0) return refuse('the request is not signed');
  const provider = await serviceProvider(options, connection);
  await provider
    .validatePostRequestAsync({ SAMLRequest: Buffer.from(xml).toString('base64') })
    .catch((error: Error) => {
      throw new SsoRefusal('message refused', `the request cannot be verified: ${error.message}`, error);
    });
}

/**
 * Checks a logout request whose signature is verified (SAML 2.0 Profiles §4.4.4.1).
 * @throws {SsoRefusal} message refused.
 */
export function verifyLogoutRequest(
  { config, now }: Pick<SsoOptions, 'config' | 'now'>,
  { slug, saml }: SamlConnection,
  request: Element,
): LogoutRequest {
  if (request.localName !== 'LogoutRequest' || request.namespaceURI !== NAMESPACE.protocol)
    return refuse(`the message is a ${request.localName}, not a LogoutRequest`);
  if (attribute(request, 'Version') !== '2.0') return refuse('the request is not of SAML 2.0');
  const id = attribute(request, 'ID') || refuse('the request has no ID');
  const destination = attribute(request, 'Destination');
  const expected = logoutUrlOf(config, slug);
  if (destination !== expected)
    return refuse(`the destination is ${destination ?? 'absent'}, not ${expected}`);
  verifyIssuer(request, saml.idp_entity_id);

  const issuedAt = timeOf(request, 'IssueInstant') ?? refuse('the request has no IssueInstant');
  const acceptedUntil = issuedAt + LIFETIME + CLOCK_SKEW;
  if (acceptedUntil <= now() || issuedAt > now() + CLOCK_SKEW)
    return refuse(
      `IssueInstant is ${attribute(request, 'IssueInstant')}, but our clock shows ${new Date(now()).toISOString()}`,
    );
  verifyPeriod(request, now());

  const [nameId, another] = childElements(request, NAMESPACE.assertion, 'NameID');
  if (!nameId || another) return refuse('LogoutRequest must have exactly one NameID');
  return {
    id,
    subject: subjectOf(nameId, entityIdOf(config, slug)),
    sessionIndexes: childElements(request, NAMESPACE.protocol, 'SessionIndex').map(textOf),
    acceptedUntil,
  };
}
