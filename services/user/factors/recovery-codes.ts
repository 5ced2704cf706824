import { randomBytes } from 'node:crypto';
import { encodeBase32, recoveryDigest } from '@gatehouse/shared/identity/second-factor';
import { z } from 'zod';

const COUNT = 10;
/** Bytes of a code: 80 bits, 16 characters in base32. */
const SIZE = 10;

/** @param id the enrollment to which they belong. */
export function newRecoveryCodes(id: string): { codes: string[]; digests: string[] } {
  const codes = Array.from({ length: COUNT }, () => {
    const text = encodeBase32(randomBytes(SIZE));
    return (text.match(/.{4}/g) ?? []).join('-');
  });
  return { codes, digests: codes.map((code) => recoveryDigest(id, code)) };
}

export const recoveryCodes = z
  .object({
    recovery_codes: z.array(z.string()).meta({ description: 'Shown only here. Each is used once.' }),
  })
  .meta({
    description: 'Ten recovery codes',
    examples: [{ recovery_codes: ['JBSW-Y3DP-EHPK-3PXP', 'GEZD-GNBV-GY3T-QOJQ'] }],
  });
