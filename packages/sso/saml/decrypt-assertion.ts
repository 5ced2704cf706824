import { promisify } from 'node:util';
import { SsoRefusal } from '../refusal.ts';
import { ACCEPTED } from './names.ts';
import { parseMessage } from './read-message.ts';
import { requireAlgorithms } from './require-signatures.ts';

/**
 * Decrypts an EncryptedAssertion. Its content is checked before the library decrypts it again to verify it. Every
 * failure has the same reason: its text must not tell a client how far the decryption came (padding oracles).
 * @param privateKeys one of these matches the key that the provider encrypted with.
 */
export async function decryptAssertion(
  encrypted: Element,
  privateKeys: readonly string[],
): Promise<{ decrypted: Element; privateKey: string }> {
  requireAlgorithms(encrypted, 'EncryptionMethod', ACCEPTED.encryption);
  const { decrypt } = await import('xml-encryption');
  let problem: unknown;
  for (const privateKey of privateKeys) {
    try {
      const content = await promisify(decrypt)(encrypted.toString(), {
        key: privateKey,
        disallowDecryptionWithInsecureAlgorithm: true,
        warnInsecureAlgorithm: false,
      });
      const decrypted = parseMessage('the decrypted assertion', Buffer.from(content)).root;
      return { decrypted, privateKey };
    } catch (error) {
      problem ??= error;
    }
  }
  const detail =
    problem instanceof SsoRefusal ? problem.detail : 'the assertion cannot be decrypted with our key';
  throw new SsoRefusal('message refused', detail, problem);
}
