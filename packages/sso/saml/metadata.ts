import { X509Certificate } from 'node:crypto';
import { AppError } from '@gatehouse/shared/http/errors';
import type { SamlSettings } from '../connection-records.ts';
import { BINDING, NAMESPACE } from './names.ts';
import { hasUsableKey } from './usable-key.ts';
import { attribute, childElements, descendants, parseXml, textOf, XmlError } from './xml.ts';

export type IdpMetadata = Pick<SamlSettings, 'idp_entity_id' | 'sso_url' | 'slo_url' | 'certificates'> & {
  /** Whether the provider refuses requests that are not signed (SAML 2.0 Metadata §2.4.3). */
  wants_signed_requests: boolean;
};

/** Bytes of UTF-8. The metadata of one provider take a few kilobytes, those of a whole federation many megabytes. */
const MAX_METADATA = 512 * 1024;

const refuse = (problem: string): never => {
  throw new AppError('invalidFormat', { text: `metadata ${problem}` });
};

/**
 * Reads the metadata of an identity provider (SAML 2.0 Metadata §2.4.3). Their signature is not verified: an Owner
 * supplies them.
 * @throws {AppError} invalidFormat, which says what is wrong with them.
 */
export function readIdpMetadata(xml: string): IdpMetadata {
  if (Buffer.byteLength(xml) > MAX_METADATA) return refuse('must not exceed 512 KiB');
  const document = parse(xml.replace(/^\ufeff/, ''));
  const [entity, anotherEntity] = descendants(document, NAMESPACE.metadata, 'EntityDescriptor');
  if (!entity) return refuse('must be the SAML metadata of an identity provider, an EntityDescriptor');
  if (anotherEntity) return refuse('must describe one identity provider; they contain several');

  const idp_entity_id = attribute(entity, 'entityID')?.trim();
  if (!idp_entity_id || idp_entity_id.length > 1024) return refuse('must name their entityID');
  const descriptors = childElements(entity, NAMESPACE.metadata, 'IDPSSODescriptor').filter((descriptor) =>
    attribute(descriptor, 'protocolSupportEnumeration')?.split(/\s+/).includes(NAMESPACE.protocol),
  );
  const [descriptor, anotherDescriptor] = descriptors;
  if (!descriptor) return refuse('must have an IDPSSODescriptor for SAML 2.0');
  if (anotherDescriptor) return refuse('must have one IDPSSODescriptor for SAML 2.0; they contain several');

  const sso_url =
    location(descriptor, 'SingleSignOnService', BINDING.redirect) ??
    location(descriptor, 'SingleSignOnService', BINDING.post) ??
    refuse('must have a SingleSignOnService with the binding HTTP-Redirect or HTTP-POST');
  const slo_url =
    location(descriptor, 'SingleLogoutService', BINDING.redirect, 'ResponseLocation') ??
    location(descriptor, 'SingleLogoutService', BINDING.redirect) ??
    null;
  return {
    idp_entity_id,
    sso_url,
    slo_url,
    certificates: signingCertificates(descriptor),
    wants_signed_requests: /^(?:true|1)$/.test(
      attribute(descriptor, 'WantAuthnRequestsSigned')?.trim() ?? '',
    ),
  };
}

function parse(xml: string): Document {
  try {
    return parseXml(xml);
  } catch (error) {
    if (error instanceof XmlError) return refuse(`must be an XML document, but it ${error.message}`);
    throw error;
  }
}

/** Returns the address of a service at a binding, if there is any. */
function location(
  descriptor: Element,
  service: string,
  binding: string,
  name = 'Location',
): string | undefined {
  const element = childElements(descriptor, NAMESPACE.metadata, service).find(
    (candidate) => attribute(candidate, 'Binding') === binding,
  );
  const address = element && attribute(element, name)?.trim();
  if (!address) return undefined;
  const url = URL.parse(address);
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password)
    return refuse(`must name the ${service} by an address that begins with https://`);
  return url.href;
}

function signingCertificates(descriptor: Element): string[] {
  const keys = childElements(descriptor, NAMESPACE.metadata, 'KeyDescriptor').filter(
    (key) => (attribute(key, 'use') ?? 'signing') === 'signing',
  );
  const certificates = keys
    .flatMap((key) => descendants(key, NAMESPACE.signature, 'X509Certificate'))
    .map((element) => readCertificate(textOf(element)));
  if (certificates.length === 0) return refuse('must contain a certificate that signs');
  return [...new Set(certificates)];
}

/** @param base64 the certificate in DER, as metadata carry it. @returns the certificate in PEM. */
function readCertificate(base64: string): string {
  let certificate: X509Certificate;
  try {
    certificate = new X509Certificate(Buffer.from(base64, 'base64'));
  } catch {
    return refuse('contain a certificate that cannot be read');
  }
  if (!hasUsableKey(certificate)) refuse('contain a certificate without an RSA key of 2048 bits or more');
  return certificate.toString();
}
