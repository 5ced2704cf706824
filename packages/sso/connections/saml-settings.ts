import { AppError } from '@gatehouse/shared/http/errors';
import { expecting, jsonBody } from '@gatehouse/shared/http/fields';
import { getText, ResponseError } from '@gatehouse/shared/outbound/get-text';
import { reasonOf } from '@gatehouse/shared/outbound/reason';
import { z } from 'zod';
import type { Connection, SamlSettings } from '../connection-records.ts';
import type { SsoOptions } from '../dependencies.ts';
import { type IdpMetadata, readIdpMetadata } from '../saml/metadata.ts';
import { createSpKey } from '../saml/sp-key.ts';
import { type Preset, SIGNED_REQUESTS } from './attributes.ts';
import { hasExpired, MAX_CERTIFICATES, readSigningCertificates } from './certificates.ts';
import { flag, pem, url } from './fields.ts';
import { checkBrowserUrl, checkDialedUrl } from './provider-url.ts';

const METADATA = ['metadata_url', 'metadata_xml'] as const;
const DETAILS = ['idp_entity_id', 'sso_url', 'certificates'] as const;

/** The settings that a caller gives: metadata, or what it would hold. */
export const samlInput = jsonBody({
  metadata_url: url.exactOptional().meta({ description: 'Read now, and every day for new certificates' }),
  metadata_xml: z
    .string(expecting('must be a string'))
    .min(1, { error: 'is required' })
    .exactOptional()
    .meta({ description: 'The metadata of the provider, an EntityDescriptor' }),
  idp_entity_id: z.string(expecting('must be a string')).trim().min(1).max(1_024).exactOptional(),
  sso_url: url.exactOptional(),
  slo_url: url.nullable().exactOptional(),
  certificates: z
    .array(pem, expecting('must be an array of certificates'))
    .min(1, { error: 'must hold a certificate' })
    .max(MAX_CERTIFICATES, { error: `must hold at most ${MAX_CERTIFICATES} certificates` })
    .exactOptional()
    .meta({ description: 'Signing certificates in PEM, several while they are being replaced' }),
  sign_requests: flag.exactOptional().meta({
    description:
      'Whether our requests are signed; true by default if the metadata ask for it (WantAuthnRequestsSigned) or with the preset `keycloak`',
  }),
  idp_initiated: flag.exactOptional().meta({ description: 'Whether a login may begin at the provider' }),
}).refine(
  (given) => {
    const sources = METADATA.filter((name) => given[name] !== undefined).length;
    const details = [...DETAILS, 'slo_url' as const].some((name) => given[name] !== undefined);
    return sources === 0 || (sources === 1 && !details);
  },
  { error: 'must hold metadata_url, metadata_xml, or the details of the provider' },
);
type SamlInput = z.infer<typeof samlInput>;

/**
 * @param before the settings that the input changes; absent for a new connection.
 * @param preset whose clients may refuse requests that are not signed.
 */
export async function samlSettings(
  options: SsoOptions,
  { connection_id, slug }: Pick<Connection, 'connection_id' | 'slug'>,
  given: SamlInput,
  before?: SamlSettings,
  preset?: Preset,
): Promise<SamlSettings> {
  const { wants_signed_requests = false, ...provider } = await describedProvider(options, given);
  const needsSignature = wants_signed_requests || (preset !== undefined && SIGNED_REQUESTS.includes(preset));
  const settings = {
    idp_entity_id: before?.idp_entity_id,
    sso_url: before?.sso_url,
    slo_url: before?.slo_url ?? null,
    certificates: before?.certificates,
    ...provider,
  };
  const { idp_entity_id, sso_url, certificates } = settings;
  if (idp_entity_id === undefined || sso_url === undefined || certificates === undefined) {
    const missing = DETAILS.filter((name) => settings[name] === undefined);
    throw new AppError('missingField', {
      text: `saml must hold metadata_url, metadata_xml, or the details of the provider; ${missing.join(', ')} missing`,
    });
  }
  // Metadata hold addresses of the provider that are not checked yet.
  await checkBrowserUrl(options, sso_url, 'saml.sso_url');
  if (settings.slo_url !== null) await checkBrowserUrl(options, settings.slo_url, 'saml.slo_url');
  const metadata_url = given.metadata_url ?? (isDescribed(given) ? undefined : before?.metadata_url);
  return {
    idp_entity_id,
    sso_url,
    slo_url: settings.slo_url,
    certificates:
      given.certificates || !before || isDescribed(given)
        ? readSigningCertificates(certificates, 'saml.certificates', options.now())
        : certificates,
    ...(before?.withdrawn && !isDescribed(given) && { withdrawn: before.withdrawn }),
    ...(metadata_url !== undefined && { metadata_url }),
    sign_requests: given.sign_requests ?? (needsSignature || (before?.sign_requests ?? false)),
    idp_initiated: given.idp_initiated ?? before?.idp_initiated ?? false,
    ...(before
      ? { sp_private_key: before.sp_private_key, sp_certificate: before.sp_certificate }
      : await spKey(options, connection_id, slug)),
  };
}

/** Whether the input says anything about the provider itself. */
const isDescribed = (given: SamlInput): boolean =>
  [...METADATA, ...DETAILS].some((name) => given[name] !== undefined);

async function describedProvider(options: SsoOptions, given: SamlInput): Promise<Partial<IdpMetadata>> {
  const { metadata_url, metadata_xml } = given;
  const xml = metadata_url === undefined ? metadata_xml : await fetchMetadata(options, metadata_url);
  if (xml !== undefined) {
    const metadata = readIdpMetadata(xml);
    // Providers leave old certificates in their metadata.
    const valid = metadata.certificates.filter((pem) => !hasExpired(pem, options.now()));
    return { ...metadata, ...(valid.length > 0 && { certificates: valid }) };
  }
  const { idp_entity_id, sso_url, slo_url, certificates } = given;
  return {
    ...(idp_entity_id !== undefined && { idp_entity_id }),
    ...(sso_url !== undefined && { sso_url }),
    ...(slo_url !== undefined && { slo_url }),
    ...(certificates !== undefined && { certificates }),
  };
}

async function fetchMetadata(options: SsoOptions, url: string): Promise<string> {
  const field = 'saml.metadata_url';
  await checkDialedUrl(options, url, field);
  try {
    return (await getText(options.outbound, url)).text;
  } catch (error) {
    const reason = error instanceof ResponseError ? error.message : reasonOf(error as Error);
    throw new AppError('invalidFormat', { text: `${field} cannot be read: ${reason}`, cause: error });
  }
}

async function spKey(
  { secrets }: SsoOptions,
  connection_id: string,
  slug: string,
): Promise<Pick<SamlSettings, 'sp_private_key' | 'sp_certificate'>> {
  const { privateKey, certificate } = await createSpKey(slug);
  return { sp_private_key: secrets.seal(privateKey, connection_id), sp_certificate: certificate };
}
