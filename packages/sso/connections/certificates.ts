import { X509Certificate } from 'node:crypto';
import { AppError } from '@gatehouse/shared/http/errors';
import { hasUsableKey } from '../saml/usable-key.ts';

/** Enough for a rollover of signing certificates, or for a chain of authorities. */
export const MAX_CERTIFICATES = 4;

const BLOCKS = /-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]+-----END CERTIFICATE-----/g;

const invalid = (text: string) => new AppError('invalidFormat', { text });

/**
 * Reads certificates in PEM.
 * @param field names the field in the error.
 * @returns each certificate in the same form, without what surrounds it.
 * @throws {AppError} invalidFormat, which says what is wrong.
 */
export function readCertificates(text: string, field: string, now: number): string[] {
  const blocks = text.match(BLOCKS) ?? [];
  if (blocks.length === 0 || text.replace(BLOCKS, '').trim() !== '')
    throw invalid(`${field} must be a certificate in PEM`);
  if (blocks.length > MAX_CERTIFICATES)
    throw invalid(`${field} must hold at most ${MAX_CERTIFICATES} certificates`);
  return blocks.map((block) => {
    const certificate = parse(block, field);
    if (certificate.validToDate.getTime() <= now)
      throw invalid(`${field} has expired on ${certificate.validToDate.toISOString().slice(0, 10)}`);
    return certificate.toString();
  });
}

function parse(block: string, field: string): X509Certificate {
  try {
    return new X509Certificate(block);
  } catch {
    throw invalid(`${field} must be a certificate in PEM`);
  }
}

/**
 * Reads the certificates that sign a provider's messages.
 * @throws {AppError} invalidFormat, which says what is wrong.
 */
export function readSigningCertificates(texts: readonly string[], field: string, now: number): string[] {
  const certificates = texts.flatMap((text, index) => {
    const read = readCertificates(text, `${field}.${index}`, now);
    if (!read.every((pem) => hasUsableKey(new X509Certificate(pem))))
      throw invalid(`${field}.${index} must have an RSA key of 2048 bits or more`);
    return read;
  });
  const distinct = [...new Set(certificates)];
  if (distinct.length > MAX_CERTIFICATES)
    throw invalid(`${field} must hold at most ${MAX_CERTIFICATES} certificates`);
  return distinct;
}

export const hasExpired = (pem: string, now: number): boolean =>
  new X509Certificate(pem).validToDate.getTime() <= now;
