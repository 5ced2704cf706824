import { createHmac } from 'node:crypto';

/** The current secret, and the previous ones that still sign. */
export type SigningSecrets = readonly [current: string, ...previous: string[]];

/**
 * The headers that authenticate a delivery (CONTRACT.md §Signature): `X-Service-Signature`, and those of Standard
 * Webhooks (https://www.standardwebhooks.com).
 * @param body the exact bytes to send.
 * @param now Unix milliseconds.
 */
export function signatureHeaders(
  id: string,
  body: Buffer,
  secrets: SigningSecrets,
  now: number,
): Record<string, string> {
  const timestamp = String(Math.floor(now / 1000));
  const signed = secrets.map((secret) => {
    const hmac = createHmac('sha256', standardKey(secret)).update(`${id}.${timestamp}.`).update(body);
    return `v1,${hmac.digest('base64')}`;
  });
  return {
    'x-service-signature': `sha256=${createHmac('sha256', secrets[0]).update(body).digest('hex')}`,
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signed.join(' '),
  };
}

/** The key of Standard Webhooks: the bytes that follow `whsec_` in base64, or the bytes of any other secret. */
export function standardKey(secret: string): Buffer {
  const encoded = /^whsec_(.+)$/.exec(secret)?.[1];
  const key = Buffer.from(encoded ?? '', 'base64');
  return encoded !== undefined && key.toString('base64') === encoded ? key : Buffer.from(secret);
}
