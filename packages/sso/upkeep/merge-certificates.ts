import { X509Certificate } from 'node:crypto';
import type { SamlSettings } from '../connection-records.ts';
import { hasExpired, MAX_CERTIFICATES } from '../connections/certificates.ts';

/** Milliseconds for which a certificate that the metadata no longer hold is still accepted. */
const GRACE = 7 * 86_400_000;

type Certificates = Pick<SamlSettings, 'certificates' | 'withdrawn'>;

export const fingerprintOf = (pem: string): string => new X509Certificate(pem).fingerprint256;

/**
 * Merges the certificates of a provider's metadata with those of a connection. New ones are accepted at once. One that
 * the metadata no longer hold is accepted for another week, since providers publish a change before or after they sign
 * with it. Then it goes: a retired key must not sign forever.
 * @param now Unix milliseconds.
 */
export function mergeCertificates(
  { certificates, withdrawn = [] }: Certificates,
  published: readonly string[],
  now: number,
): Certificates {
  const offered = new Map(published.map((pem) => [fingerprintOf(pem), pem]));
  const known = new Map(certificates.map((pem) => [fingerprintOf(pem), pem]));
  const current = [...offered].filter(([id, pem]) => known.has(id) || !hasExpired(pem, now));
  // Metadata in which every certificate has expired do not name the successors.
  if (current.length === 0) return { certificates, ...(withdrawn.length > 0 && { withdrawn }) };
  const missing = [...known]
    .filter(([id]) => !offered.has(id))
    .map(([id, pem]) => ({
      pem,
      fingerprint: id,
      since: withdrawn.find(({ fingerprint }) => fingerprint === id)?.since ?? new Date(now),
    }))
    .filter(({ since }) => now - since.getTime() < GRACE);
  // Those in use keep their order and their place; the newest of a long list may not fit.
  const kept = [...known].filter(([id]) => offered.has(id));
  const added = current.filter(([id]) => !known.has(id));
  const present = [...kept, ...added].slice(0, MAX_CERTIFICATES).map(([, pem]) => pem);
  const leaving = missing.slice(0, MAX_CERTIFICATES - present.length);
  return {
    certificates: [...present, ...leaving.map(({ pem }) => pem)],
    ...(leaving.length > 0 && {
      withdrawn: leaving.map(({ fingerprint, since }) => ({ fingerprint, since })),
    }),
  };
}
