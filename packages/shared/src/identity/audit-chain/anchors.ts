import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  hash,
  type KeyObject,
  sign,
  verify,
} from 'node:crypto';
import { canonical } from './canonical.ts';
import type { AuditAnchor } from './records.ts';

/** Ed25519 keys, as base64 of their DER: PKCS #8 the private key, SPKI the public one. */

export interface SigningKey {
  id: string;
  privateKey: KeyObject;
}

/** The first 16 hexadecimal digits of the SHA-256 of the public key. */
export const keyIdOf = (publicKey: KeyObject): string =>
  hash('sha256', publicKey.export({ type: 'spki', format: 'der' }), 'hex').slice(0, 16);

export function newKeyPair(): { signing_key: string; verify_key: string; key_id: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  return {
    signing_key: privateKey.export({ type: 'pkcs8', format: 'der' }).toString('base64'),
    verify_key: publicKey.export({ type: 'spki', format: 'der' }).toString('base64'),
    key_id: keyIdOf(publicKey),
  };
}

/** @throws when the text is no private Ed25519 key. */
export function signingKeyOf(text: string): SigningKey {
  const key = Buffer.from(text, 'base64');
  const privateKey = ed25519(createPrivateKey({ key, type: 'pkcs8', format: 'der' }));
  return { id: keyIdOf(createPublicKey(privateKey)), privateKey };
}

/** @throws when the text is no public Ed25519 key. */
export const verifyKeyOf = (text: string): KeyObject =>
  ed25519(createPublicKey({ key: Buffer.from(text, 'base64'), type: 'spki', format: 'der' }));

function ed25519(key: KeyObject): KeyObject {
  if (key.asymmetricKeyType !== 'ed25519') throw new Error('not an Ed25519 key');
  return key;
}

type Unsigned = Omit<AuditAnchor, 'signature' | 'key'>;

/** The words before it keep the signature from meaning anything else. */
const signedBytes = ({ _id, first, count, head, previous, closed, signed_at }: Unsigned, key: string) =>
  Buffer.from(
    `gatehouse audit anchor 1\n${canonical({ _id, first, count, head, previous, closed, signed_at, key })}`,
  );

export const signAnchor = (anchor: Unsigned, { id, privateKey }: SigningKey): AuditAnchor => ({
  ...anchor,
  key: id,
  signature: sign(null, signedBytes(anchor, id), privateKey).toString('base64url'),
});

/** @param keys public keys by their ids. */
export function isSigned(anchor: AuditAnchor, keys: ReadonlyMap<string, KeyObject>): boolean {
  const key = keys.get(anchor.key);
  if (!key) return false;
  return verify(null, signedBytes(anchor, anchor.key), key, Buffer.from(anchor.signature, 'base64url'));
}
