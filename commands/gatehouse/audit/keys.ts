import { createPublicKey, type KeyObject } from 'node:crypto';
import { type SigningKey, signingKeyOf } from '@gatehouse/shared/identity/audit-chain/anchors';
import { publicKeys } from '@gatehouse/shared/identity/audit-chain/signer';
import { UsageError } from '../exit.ts';

/** The key of AUDIT_SIGNING_KEY, if it is set. @throws {UsageError} */
export function signingKey(): SigningKey | undefined {
  const text = process.env.AUDIT_SIGNING_KEY;
  if (!text) return undefined;
  return read('AUDIT_SIGNING_KEY', () => signingKeyOf(text));
}

/** The public keys of the command line, else those of the settings, by their ids. @throws {UsageError} */
export function verifyKeys(given: unknown): ReadonlyMap<string, KeyObject> {
  if (Array.isArray(given)) return read('--key', () => publicKeys(given.map(String)));
  const setting = process.env.AUDIT_VERIFY_KEY;
  const texts = setting ? setting.split(',').map((text) => text.trim()) : [];
  const keys = new Map(read('AUDIT_VERIFY_KEY', () => publicKeys(texts)));
  const own = signingKey();
  return own ? keys.set(own.id, createPublicKey(own.privateKey)) : keys;
}

function read<T>(name: string, parse: () => T): T {
  try {
    return parse();
  } catch {
    throw new UsageError(`${name} is no key that npx gatehouse audit keygen has printed`);
  }
}
