import 'reflect-metadata';
import { generateKeyPairSync } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { PemConverter, X509CertificateGenerator } from '@peculiar/x509';

/** An RSA key, its self-signed certificate, and the P-256 key that Apple gives to a client; all in PEM. */
export interface SigningKey {
  privateKey: string;
  certificate: string;
  appleKey: string;
}

/**
 * Returns the key in a file, which the first start makes. A connection with its certificate works after a restart.
 */
export async function loadSigningKey(file: string): Promise<SigningKey> {
  const stored = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '{}';
    throw error;
  });
  const parts: Partial<SigningKey> = JSON.parse(stored);
  const { privateKey, certificate, appleKey } = parts;
  if (privateKey && certificate && appleKey) return { privateKey, certificate, appleKey };
  // A file of an earlier version has no appleKey.
  const key = { ...(await createSigningKey()), ...parts };
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  await writeFile(file, `${JSON.stringify(key, null, 2)}\n`, { mode: 0o600 });
  return key;
}

export async function createSigningKey(): Promise<SigningKey> {
  const keys = await crypto.subtle.generateKey(
    {
      name: 'RSASSA-PKCS1-v1_5',
      modulusLength: 2048,
      publicExponent: new Uint8Array([1, 0, 1]),
      hash: 'SHA-256',
    },
    true,
    ['sign', 'verify'],
  );
  const notAfter = new Date();
  notAfter.setUTCFullYear(notAfter.getUTCFullYear() + 10);
  const certificate = await X509CertificateGenerator.createSelfSigned({
    name: 'CN=Practice identity provider',
    keys,
    notBefore: new Date(),
    notAfter,
  });
  return {
    privateKey: PemConverter.encode(await crypto.subtle.exportKey('pkcs8', keys.privateKey), 'PRIVATE KEY'),
    certificate: certificate.toString('pem'),
    appleKey: generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({
      type: 'pkcs8',
      format: 'pem',
    }) as string,
  };
}
