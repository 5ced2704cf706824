import { X509Certificate } from 'node:crypto';
import { AppError } from '@gatehouse/shared/http/errors';
import { getText, ResponseError } from '@gatehouse/shared/outbound/get-text';
import { reasonOf } from '@gatehouse/shared/outbound/reason';
import type { Connection } from '../connection-records.ts';
import type { SsoOptions } from '../dependencies.ts';
import { asSaml } from '../saml/contract.ts';
import { type IdpMetadata, readIdpMetadata } from '../saml/metadata.ts';
import type { SamlConnection } from '../saml/service-provider.ts';
import { CLOCK_SKEW } from '../saml/verify-assertion.ts';
import type { Finding } from './finding.ts';

/** Days before the end of a certificate at which the test warns. */
const NOTICE = 30;
const DAY = 86_400_000;

/** Diagnoses a connection, as far as that works without a login. */
export async function testSaml(options: SsoOptions, tested: Connection): Promise<Finding[]> {
  const connection = asSaml(tested);
  const now = options.now();
  return [
    ...(await metadata(options, connection)),
    ...signingCertificates(connection, now),
    ownCertificate(connection, now),
    attributes(connection),
    ...(await lastLogin(options, connection)),
  ];
}

async function metadata(
  { outbound, now }: Pick<SsoOptions, 'outbound' | 'now'>,
  { saml }: SamlConnection,
): Promise<Finding[]> {
  const check = 'Metadata';
  const { metadata_url } = saml;
  if (metadata_url === undefined) {
    const message = 'The connection has no metadata address, so changes at the provider go unnoticed.';
    return [{ level: 'warning', check, message }];
  }
  try {
    const { text, date } = await getText({ agent: outbound.agent }, metadata_url);
    const differences = compare(readIdpMetadata(text), saml);
    const findings: Finding[] =
      differences.length > 0
        ? differences
        : [{ level: 'ok', check, message: 'The metadata of the provider agree with the connection.' }];
    return [...findings, ...clock(date, now())];
  } catch (error) {
    return [
      { level: 'error', check, message: `${metadata_url} cannot be used: ${problemOf(error as Error)}.` },
    ];
  }
}

const problemOf = (error: Error): string =>
  error instanceof AppError || error instanceof ResponseError ? error.message : reasonOf(error);

function compare(published: IdpMetadata, saml: SamlConnection['saml']): Finding[] {
  const check = 'Metadata';
  const findings: Finding[] = [];
  const { idp_entity_id, sso_url, certificates, wants_signed_requests } = published;
  if (idp_entity_id !== saml.idp_entity_id) {
    const message = `The metadata are those of ${idp_entity_id}, but the connection is to ${saml.idp_entity_id}.`;
    return [{ level: 'error', check, message }];
  }
  if (sso_url !== saml.sso_url)
    findings.push({
      level: 'warning',
      check,
      message: `The provider now logs people in at ${sso_url}. Import its metadata again.`,
    });
  if (wants_signed_requests && !saml.sign_requests)
    findings.push({
      level: 'warning',
      check,
      message: 'The provider wants signed requests. Set sign_requests.',
    });
  const known = saml.certificates.map(fingerprint);
  const isKnown = (certificate: string) => known.includes(fingerprint(certificate));
  if (!certificates.some(isKnown))
    findings.push({
      level: 'error',
      check: 'Signing certificates',
      message:
        'The provider signs with none of the certificates of the connection. Import its metadata again.',
    });
  else if (!certificates.every(isKnown))
    findings.push({
      level: 'warning',
      check: 'Signing certificates',
      message:
        'The provider publishes a certificate that the connection lacks. Import its metadata again before it changes over.',
    });
  return findings;
}

const fingerprint = (pem: string): string => new X509Certificate(pem).fingerprint256;

/** @param date the header of the provider's answer. */
function clock(date: string | undefined, now: number): Finding[] {
  const check = 'Clock';
  const ahead = date === undefined ? Number.NaN : Date.parse(date) - now;
  if (Number.isNaN(ahead)) return [];
  const seconds = Math.round(Math.abs(ahead) / 1000);
  // The header counts whole seconds.
  if (seconds <= 2) return [{ level: 'ok', check, message: 'The clocks agree.' }];
  return [
    {
      level: seconds * 1000 > CLOCK_SKEW ? 'error' : 'warning',
      check,
      message: `The provider's clock is ${seconds} seconds ${ahead > 0 ? 'ahead' : 'behind'}; up to ${CLOCK_SKEW / 1000} are tolerated.`,
    },
  ];
}

/** An expired certificate still verifies signatures: the connection pins it, and the provider may go on using it. */
const signingCertificates = ({ saml }: SamlConnection, now: number): Finding[] =>
  saml.certificates.map((pem) =>
    expiry('Signing certificates', new X509Certificate(pem), now, {
      what: 'The certificate of the provider',
      remedy: 'Import the metadata of the provider again once it has another.',
    }),
  );

const ownCertificate = ({ saml }: SamlConnection, now: number): Finding =>
  expiry('Our certificate', new X509Certificate(saml.sp_certificate), now, {
    what: 'Our certificate',
    remedy: 'Rotate the key of the connection and give its metadata to the provider.',
  });

function expiry(
  check: string,
  certificate: X509Certificate,
  now: number,
  { what, remedy }: { what: string; remedy: string },
): Finding {
  const day = (date: Date) => date.toISOString().slice(0, 10);
  const name = `${what} (serial number ${certificate.serialNumber})`;
  const from = certificate.validFromDate;
  const until = certificate.validToDate;
  if (now < from.getTime())
    return { level: 'warning', check, message: `${name} is valid only from ${day(from)}.` };
  if (until.getTime() <= now)
    return { level: 'error', check, message: `${name} expired on ${day(until)}. ${remedy}` };
  if (until.getTime() <= now + NOTICE * DAY)
    return { level: 'warning', check, message: `${name} expires on ${day(until)}. ${remedy}` };
  return { level: 'ok', check, message: `${name} is valid until ${day(until)}.` };
}

function attributes({ attributes: names, missing_attributes: missing }: SamlConnection): Finding {
  const check = 'Attributes';
  if (missing === undefined)
    return {
      level: 'warning',
      check,
      message: 'Nobody has logged in yet, so it is not known what the provider sends.',
    };
  const listed = missing.map((name) => `${name} (as ${names[name]})`).join(', ');
  if (missing.includes('email'))
    return {
      level: 'error',
      check,
      message: `The last login had no e-mail address. Missing: ${listed}. Map them at the provider or change the names in the connection.`,
    };
  return missing.length === 0
    ? { level: 'ok', check, message: 'The last login had every attribute.' }
    : { level: 'warning', check, message: `The last login lacked ${listed}.` };
}

/** The last attempt shows what no test can try: clocks, addresses and signatures of real messages. */
async function lastLogin(
  { db }: Pick<SsoOptions, 'db'>,
  { connection_id, organization_id }: SamlConnection,
): Promise<Finding[]> {
  const [event] = await db.auditEvents
    .find({ organization_id, action: 'sso.login', 'target.connection_id': connection_id })
    .sort({ at: -1, event_id: -1 })
    .limit(1)
    .toArray();
  if (!event) return [];
  const check = 'Last login';
  const at = event.at.toISOString();
  if (event.outcome === 'success') return [{ level: 'ok', check, message: `The login at ${at} succeeded.` }];
  const { detail } = event.after ?? {};
  const reason = typeof detail === 'string' ? `${event.outcome}: ${detail}` : event.outcome;
  return [{ level: 'warning', check, message: `The login at ${at} was refused (${reason}).` }];
}
