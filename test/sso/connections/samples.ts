/** Bodies that connect providers whose addresses need no network. */

import { X509Certificate } from 'node:crypto';
import { createCertificate } from '../../fixtures/certificates.ts';
import type { Clock } from '../../fixtures/clock.ts';

/** Two certificates of a provider in PEM: the present one and the next. */
export const newCertificates = ({ now }: Clock) =>
  Promise.all(
    ([undefined, 'next'] as const).map(async (name) => {
      const { certificate } = await createCertificate({ now: now(), ...(name && { name }) });
      return new X509Certificate(certificate).toString();
    }),
  ) as Promise<[string, string]>;

/** The metadata of a SAML provider with these signing certificates in PEM. */
export const idpMetadata = (...certificates: string[]) => `<?xml version="1.0"?>
<EntityDescriptor xmlns="urn:oasis:names:tc:SAML:2.0:metadata" xmlns:ds="http://www.w3.org/2000/09/xmldsig#" entityID="https://idp.example/metadata">
<IDPSSODescriptor protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol">
${certificates
  .map(
    (pem) =>
      `<KeyDescriptor use="signing"><ds:KeyInfo><ds:X509Data><ds:X509Certificate>${pem.replace(/-----.*-----/g, '')}</ds:X509Certificate></ds:X509Data></ds:KeyInfo></KeyDescriptor>`,
  )
  .join('\n')}
<SingleLogoutService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect" Location="https://idp.example/slo"/>
<SingleSignOnService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect" Location="https://idp.example/sso"/>
</IDPSSODescriptor></EntityDescriptor>`;

export const ldap = {
  url: 'ldaps://ldap.example.com',
  bind_dn: 'cn=gatehouse,dc=example,dc=com',
  bind_password: 'the password of the service',
  base_dn: 'ou=people,dc=example,dc=com',
  user_filter: '(uid={username})',
};
