import { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { connect } from 'node:tls';
import type { Db } from 'mongodb';
import { type Finding, fail, ok, warn } from './finding.ts';

const TIMEOUT = 5_000;
const DAY = 86_400_000;
/** Days that are left of a certificate. Automatic renewal happens earlier. */
const LEFT = { warn: 21, fail: 3 };

/** How long the certificate of an address is valid, and whether browsers accept it. */
export async function checkTls(address: string, ca?: string, now = Date.now): Promise<Finding[]> {
  const { protocol, hostname, port } = new URL(address);
  const check = 'certificate';
  if (protocol !== 'https:') return [ok(check, 'PUBLIC_URL is not https')];
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  try {
    const { certificate, refusal } = await readCertificate(host, Number(port || 443), ca);
    if (refusal !== undefined)
      return [
        fail(
          check,
          `browsers refuse that of ${host}: ${refusal}`,
          'install a certificate of a public authority for it',
        ),
      ];
    return [dateFinding(check, `that of ${host}`, certificate.validToDate.getTime(), now())];
  } catch (error) {
    return [warn(check, `${host} cannot be asked: ${(error as Error).message}`, 'check PUBLIC_URL')];
  }
}

function readCertificate(host: string, port: number, ca: string | undefined) {
  return new Promise<{ certificate: X509Certificate; refusal: string | undefined }>((resolve, reject) => {
    const socket = connect({
      host,
      port,
      // An expired one must be read, not refused.
      rejectUnauthorized: false,
      ...(ca !== undefined && { ca }),
      ...(isIP(host) === 0 && { servername: host }),
    });
    socket.setTimeout(TIMEOUT, () => socket.destroy(new Error('no answer in time')));
    socket.once('error', reject);
    socket.once('secureConnect', () => {
      const certificate = socket.getPeerX509Certificate();
      const { authorizationError } = socket;
      const refusal = authorizationError ? String(authorizationError) : undefined;
      socket.end();
      if (certificate) resolve({ certificate, refusal });
      else reject(new Error('the server sends no certificate'));
    });
  });
}

/** How long the certificates of SAML providers are valid. Their Owners get mails of their own. */
export async function checkSamlCertificates(db: Db, now = Date.now): Promise<Finding[]> {
  const connections = db
    .collection('sso_connections')
    .find(
      { enabled: true, 'saml.idp_entity_id': { $gt: '' } },
      { projection: { name: 1, 'saml.certificates': 1 } },
    );
  const findings: Finding[] = [];
  for await (const { name, saml } of connections) {
    const dates = ((saml.certificates ?? []) as string[]).map((pem) =>
      new X509Certificate(pem).validToDate.getTime(),
    );
    if (dates.length > 0)
      findings.push(
        dateFinding('SAML certificate', `that of the connection "${name}"`, Math.max(...dates), now()),
      );
  }
  return findings.length > 0 ? findings : [ok('SAML certificate', 'there are no SAML connections')];
}

function dateFinding(check: string, what: string, until: number, now: number): Finding {
  const days = Math.floor((until - now) / DAY);
  const found = days < 0 ? `${what} has expired` : `${what} is valid for ${days} days more`;
  const advice = 'renew it, and find out why that did not happen by itself';
  if (days < LEFT.fail) return fail(check, found, advice);
  return days < LEFT.warn ? warn(check, found, advice) : ok(check, found);
}
