import { Webhook } from 'standardwebhooks';
import { GatehouseError } from '../failure.ts';
import type { webhooks } from '../schema.ts';
import { type AnyRequest, headerOf } from './bearer.ts';

/** An event as it is delivered. `event` tells them apart. */
export type GatehouseEvent = {
  [Name in keyof webhooks]: webhooks[Name]['post']['requestBody']['content']['application/json'];
}[keyof webhooks];

/**
 * Verifies a delivery (CONTRACT.md §Signature): one of its signatures is ours, compared in constant time, and it was
 * sent within the last five minutes. A delivery may arrive twice; `id` stays the same.
 * @param secret the secret of the webhook; a list during a rotation.
 * @param body the exact body, not parsed. That of a web `Request` is read.
 * @throws {GatehouseError} `forbidden` if it is not from Gatehouse.
 */
export async function verifyWebhook(
  request: Pick<AnyRequest, 'headers'> & { text?(): Promise<string> },
  secret: string | readonly string[],
  body?: string | Uint8Array,
): Promise<GatehouseEvent & { id: string }> {
  const text =
    typeof body === 'string' ? body : body ? new TextDecoder().decode(body) : await request.text?.();
  if (text === undefined) throw new TypeError('The exact body of the delivery is missing');
  const names = ['webhook-id', 'webhook-timestamp', 'webhook-signature'];
  const headers = Object.fromEntries(names.map((name) => [name, headerOf(request, name) ?? '']));
  for (const each of [secret].flat())
    try {
      const event = new Webhook(keyOf(each), { format: 'raw' }).verify(text, headers);
      return { ...(event as GatehouseEvent), id: headers['webhook-id'] as string };
    } catch {
      // Another secret may have signed it.
    }
  throw new GatehouseError('forbidden', 'The signature is not valid', { status: 403, code: 'FORBIDDEN' });
}

/** The bytes that follow `whsec_` in base64, or the bytes of any other secret. */
function keyOf(secret: string): Uint8Array {
  const encoded = /^whsec_(.+)$/.exec(secret)?.[1];
  try {
    if (encoded && btoa(atob(encoded)) === encoded)
      return Uint8Array.from(atob(encoded), (c) => c.charCodeAt(0));
  } catch {
    // It only looks like base64.
  }
  return new TextEncoder().encode(secret);
}
