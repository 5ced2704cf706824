import type { Webhook } from '@gatehouse/shared/webhooks';
import { type Secrets, signingSecrets } from '../webhooks/secrets.ts';
import type { Outcome, Send } from './attempt.ts';
import { type SigningSecrets, signatureHeaders } from './signature.ts';

export interface Sender {
  send: Send;
  secrets: Secrets;
  now: () => number;
}

/**
 * One attempt to deliver a payload to a webhook, signed as of now. Never rejects.
 * @param limit milliseconds, where they are not the usual ones.
 */
export async function deliver(
  { send, secrets, now }: Sender,
  webhook: Pick<Webhook, 'webhook_id' | 'url' | 'secret' | 'previous_secrets'>,
  { event_id, payload }: { event_id: string; payload: string },
  limit?: number,
): Promise<Outcome> {
  let signing: SigningSecrets;
  try {
    signing = signingSecrets(secrets, webhook, now());
  } catch {
    // A key went missing: that is for an operator to mend, and until then no reason to give up.
    const error = 'the secret of the webhook cannot be read';
    return { at: new Date(now()), duration_ms: 0, status: null, error, answer: '', asked: null };
  }
  const body = Buffer.from(payload);
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'Gatehouse-Webhooks/1',
    ...signatureHeaders(event_id, body, signing, now()),
  };
  return send({ url: webhook.url, headers, body }, limit);
}
