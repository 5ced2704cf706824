import type { Finding } from './finding.ts';

/** Milliseconds before it expires from which a certificate is reported. */
const WARNING = 30 * 86_400_000;

/** @param check what the certificate is for. */
export function certificateFinding(check: string, validTo: Date, now: number): Finding {
  const left = validTo.getTime() - now;
  const date = validTo.toISOString().slice(0, 10);
  if (left <= 0) return { level: 'error', check, message: `The certificate expired on ${date}. Replace it.` };
  if (left <= WARNING)
    return {
      level: 'warning',
      check,
      message: `The certificate expires on ${date}. Add its successor before.`,
    };
  return { level: 'ok', check, message: `The certificate is valid until ${date}.` };
}
