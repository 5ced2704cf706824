import { promisify } from 'node:util';
import { SsoRefusal } from '../refusal.ts';
import { ACCEPTED } from './names.ts';
import { parseMessage } from './read-message.ts';
import { requireAlgorithms } from './require-signatures.ts';

/**
 * Decrypts an EncryptedAssertion, so that its content is checked before the library decrypts it again to verify it.
 * Every failure has the same reason: its text must not tell a client how far the decryption came (padding oracles).
 */
export async function decryptAssertion(encrypted: Element, privateKey: string): Promise<Element> {
  requireAlgorithms(encrypted, 'EncryptionMethod', ACCEPTED.encryption);
  const { decrypt } = await import('xml-encryption');
  try {
    const content = await promisify(decrypt)(encrypted.toString(), {
      key: privateKey,
      disallowDecryptionWithInsecureAlgorithm: true,
      warnInsecureAlgorithm: false,
    });
    return parseMessage('the decrypted assertion', Buffer.from(content)).root;
  } catch (error) {
    const detail =
      error instanceof SsoRefusal ? error.detail : 'the assertion cannot be decrypted with our key';
    throw new SsoRefusal('message refused', detail, error);
  }
}
