import type { SAML, SamlConfig } from '@node-saml/node-saml';
import type { Connection, SamlSettings } from '../connection-records.ts';
import type { SsoOptions } from '../dependencies.ts';

export type SamlConnection = Connection & { protocol: 'saml'; saml: SamlSettings };

type PublicUrl = Pick<SsoOptions['config'], 'PUBLIC_URL'>;

const at = ({ PUBLIC_URL }: PublicUrl, path: string): string => `${PUBLIC_URL}${path}`;

/** Our name towards a provider. Each connection has its own: an assertion is valid for one connection. */
export const entityIdOf = (config: PublicUrl, slug: string): string => at(config, `/saml/metadata/${slug}`);

/** Where responses go: of every connection, or of one alone. */
export const acsUrlOf = (config: PublicUrl, slug?: string): string =>
  at(config, slug === undefined ? '/saml/acs' : `/saml/acs/${slug}`);

/** Where logout requests go. */
export const logoutUrlOf = (config: PublicUrl, slug: string): string => at(config, `/saml/slo/${slug}`);

/**
 * Returns a connection's side of the protocol. The library builds and signs messages, decrypts assertions and verifies
 * signatures. It is told not to check times, since it cannot be given a clock; see verify-assertion.ts.
 */
export async function serviceProvider(
  { config }: Pick<SsoOptions, 'config'>,
  { slug, saml }: SamlConnection,
  settings: Partial<SamlConfig> = {},
): Promise<SAML> {
  // Its XML libraries are the largest that the service uses: they load at the first login by SAML.
  const { SAML } = await import('@node-saml/node-saml');
  return new SAML({
    issuer: entityIdOf(config, slug),
    callbackUrl: acsUrlOf(config),
    entryPoint: saml.sso_url,
    idpCert: saml.certificates,
    idpIssuer: saml.idp_entity_id,
    audience: false,
    acceptedClockSkewMs: -1,
    // The provider decides how people prove who they are, and which NameID we get.
    disableRequestedAuthnContext: true,
    identifierFormat: null,
    signatureAlgorithm: 'sha256',
    ...settings,
  });
}

/** Opens every key of ours that the provider may encrypt for. */
export const openSpKeys = (options: Pick<SsoOptions, 'secrets'>, connection: SamlConnection): string[] => {
  const { connection_id, own_keys = {} } = connection;
  const others = [own_keys.previous, own_keys.next].flatMap((key) => key ?? []);
  return [
    openSpKey(options, connection),
    ...others.map(({ private_key }) => options.secrets.open(private_key, connection_id)),
  ];
};

/** Opens our key for a connection, the one that signs. */
export const openSpKey = (
  { secrets }: Pick<SsoOptions, 'secrets'>,
  { connection_id, saml }: SamlConnection,
): string => secrets.open(saml.sp_private_key, connection_id);
