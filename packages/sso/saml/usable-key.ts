import type { X509Certificate } from 'node:crypto';

/** Whether the key of a certificate can verify signatures here: XML signatures are verified with RSA only. */
export const hasUsableKey = ({ publicKey }: X509Certificate): boolean =>
  publicKey.asymmetricKeyType === 'rsa' && (publicKey.asymmetricKeyDetails?.modulusLength ?? 0) >= 2048;
