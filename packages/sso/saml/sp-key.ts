/** The key of a connection and its self-signed certificate, in PEM. */
export interface SpKey {
  privateKey: string;
  certificate: string;
}

/** Years. A provider pins the certificate, so a short life would only break logins. */
const LIFETIME = 10;

/**
 * Creates the RSA key of a connection, which signs requests and decrypts assertions.
 * @param commonName appears in the certificate, for people who compare them.
 */
export async function createSpKey(commonName: string, now = Date.now()): Promise<SpKey> {
  // Loaded on demand: only the creation of a connection needs it, and it takes long to load.
  await import('reflect-metadata');
  const { Name, PemConverter, X509CertificateGenerator } = await import('@peculiar/x509');
  const keys = await crypto.subtle.generateKey(
    { name: 'RSASSA-PKCS1-v1_5', modulusLength: 3072, publicExponent: PUBLIC_EXPONENT, hash: 'SHA-256' },
    true,
    ['sign', 'verify'],
  );
  const notAfter = new Date(now);
  notAfter.setUTCFullYear(notAfter.getUTCFullYear() + LIFETIME);
  const certificate = await X509CertificateGenerator.createSelfSigned({
    // The library takes a part in quotation marks for the whole name, and a leading # for hexadecimal.
    name: new Name([{ CN: [commonName.replaceAll('"', "'").replace(/^#/, '')] }]),
    keys,
    // The clock of a provider may be behind.
    notBefore: new Date(now - 86_400_000),
    notAfter,
  });
  const pkcs8 = await crypto.subtle.exportKey('pkcs8', keys.privateKey);
  return {
    privateKey: PemConverter.encode(pkcs8, 'PRIVATE KEY'),
    certificate: certificate.toString('pem'),
  };
}

const PUBLIC_EXPONENT = new Uint8Array([1, 0, 1]);
