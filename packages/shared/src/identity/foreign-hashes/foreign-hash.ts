import { ARGON2_SCHEMES } from './argon2.ts';
import { BCRYPT_SCHEMES } from './bcrypt.ts';
import { CRYPT_SCHEMES } from './crypt.ts';
import { DIGEST_SCHEMES } from './digests.ts';
import { PBKDF2_SCHEMES } from './pbkdf2.ts';
import { PHPASS_SCHEMES } from './phpass.ts';
import { SCRYPT_SCHEMES } from './scrypt.ts';

const SCHEMES = [
  ...ARGON2_SCHEMES,
  ...BCRYPT_SCHEMES,
  ...SCRYPT_SCHEMES,
  ...PBKDF2_SCHEMES,
  ...PHPASS_SCHEMES,
  ...CRYPT_SCHEMES,
  ...DIGEST_SCHEMES,
];

/** Characters of the longest hash that is read. */
const MAX_LENGTH = 1_024;

/** A password hash that another system made. */
export interface ForeignHash {
  isTooCostly: boolean;
  verify(password: string): Promise<boolean>;
}

/** @returns undefined if the notation is not known. */
export function readForeignHash(text: string): ForeignHash | undefined {
  if (text.length > MAX_LENGTH) return undefined;
  for (const { pattern, isTooCostly, verify } of SCHEMES) {
    const match = pattern.exec(text);
    if (!match) continue;
    const groups = match.slice(1);
    return {
      isTooCostly: isTooCostly?.(...groups) ?? false,
      verify: async (password) => verify(Buffer.from(password), ...groups),
    };
  }
  return undefined;
}
