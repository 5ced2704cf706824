import { createPrivateKey, X509Certificate } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createSpKey } from '../../../packages/sso/saml/sp-key.ts';

describe('createSpKey', () => {
  it('returns an RSA key and a self-signed certificate of it for ten years', async () => {
    const now = Date.UTC(2026, 0, 15);
    const { privateKey, certificate } = await createSpKey('Acmé, +1, O=Other', now);

    const read = new X509Certificate(certificate);
    expect(read.checkPrivateKey(createPrivateKey(privateKey))).toBe(true);
    expect(read.verify(read.publicKey)).toBe(true);
    expect(read.publicKey.asymmetricKeyDetails?.modulusLength).toBeGreaterThanOrEqual(2048);
    expect(read.toLegacyObject().subject.CN).toBe('Acmé, +1, O=Other');
    expect(read.validFromDate.getTime()).toBe(now - 86_400_000);
    expect(read.validToDate.getTime()).toBe(Date.UTC(2036, 0, 15));
  });
});
