import { escapeMarkup } from '@gatehouse/shared/escape-markup';
import { orNotFound } from '@gatehouse/shared/http/errors';
import { z } from 'zod';
import { operation, type SsoOptions } from '../dependencies.ts';
import { asSaml, slug } from './contract.ts';
import { ACCEPTED, BINDING, NAME_ID_FORMAT, NAMESPACE } from './names.ts';
import { acsUrlOf, entityIdOf, logoutUrlOf, type SamlConnection } from './service-provider.ts';

/** CONTRACT.md §SAML. */
export const spMetadata = operation('GET /saml/metadata/{slug}', {
  needs: 'nothing',
  summary: 'Get the SAML metadata of a connection',
  description:
    'The metadata to give to the identity provider: our entity ID, which is this address, the addresses for responses and logout requests, and the certificate of the key that signs our requests and decrypts assertions. Available before the connection is enabled.',
  params: z.object({ slug }),
  returns: z.string().meta({
    description: 'An EntityDescriptor (application/samlmetadata+xml)',
    examples: ['<md:EntityDescriptor entityID="https://accounts.example.com/saml/metadata/acme">…'],
  }),
  fails: ['invalidFormat', 'notFound', 'rateLimited', 'unavailable'],
  async handle({ config, db, now, reply, params: { slug } }) {
    const connection = orNotFound(await db.ssoConnections.findOne({ protocol: 'saml', slug }));
    return reply
      .type('application/samlmetadata+xml; charset=utf-8')
      .send(describeServiceProvider(config, asSaml(connection), now()));
  },
});

/** Returns the metadata of our side of a connection (SAML 2.0 Metadata §2.4.4). */
function describeServiceProvider(
  config: Pick<SsoOptions['config'], 'PUBLIC_URL'>,
  { slug, saml, own_keys = {} }: SamlConnection,
  now: number,
): string {
  const logoutUrl = escapeMarkup(logoutUrlOf(config, slug));
  const { next, previous } = own_keys;
  const others = [
    next?.certificate,
    previous && now < previous.published_until.getTime() ? previous.certificate : undefined,
  ].filter((certificate) => certificate !== undefined);
  // A key that is about to go, or is not in use yet, is not published for encryption.
  const signing = [saml.sp_certificate, ...others].map(
    (certificate) => `<md:KeyDescriptor use="signing">${keyInfoOf(certificate)}</md:KeyDescriptor>`,
  );
  const encryptionMethods = ACCEPTED.encryption.map(
    (algorithm) => `<md:EncryptionMethod Algorithm="${algorithm}"/>`,
  );
  return `<?xml version="1.0" encoding="UTF-8"?>
<md:EntityDescriptor xmlns:md="${NAMESPACE.metadata}" xmlns:ds="${NAMESPACE.signature}" entityID="${escapeMarkup(entityIdOf(config, slug))}">
  <md:SPSSODescriptor AuthnRequestsSigned="${saml.sign_requests}" WantAssertionsSigned="true" protocolSupportEnumeration="${NAMESPACE.protocol}">
    ${signing.join('\n    ')}
    <md:KeyDescriptor use="encryption">${keyInfoOf(saml.sp_certificate)}${encryptionMethods.join('')}</md:KeyDescriptor>
    <md:SingleLogoutService Binding="${BINDING.redirect}" Location="${logoutUrl}"/>
    <md:SingleLogoutService Binding="${BINDING.post}" Location="${logoutUrl}"/>
    <md:NameIDFormat>${NAME_ID_FORMAT.persistent}</md:NameIDFormat>
    <md:NameIDFormat>${NAME_ID_FORMAT.email}</md:NameIDFormat>
    <md:AssertionConsumerService Binding="${BINDING.post}" Location="${escapeMarkup(acsUrlOf(config))}" index="0" isDefault="true"/>
    <md:AssertionConsumerService Binding="${BINDING.post}" Location="${escapeMarkup(acsUrlOf(config, slug))}" index="1"/>
  </md:SPSSODescriptor>
</md:EntityDescriptor>
`;
}

const keyInfoOf = (pem: string): string =>
  `<ds:KeyInfo><ds:X509Data><ds:X509Certificate>${pem.replace(/-----[^-]*-----|\s/g, '')}</ds:X509Certificate></ds:X509Data></ds:KeyInfo>`;
