import type { Webhook } from '../records.ts';
import type { Outcome, Send } from './attempt.ts';
import { type Secrets, signingSecrets } from './secrets.ts';
import { signatureHeaders } from './signature.ts';

export interface Sender {
  send: Send;
  secrets: Secrets;
  now: () => number;
}

/**
 * One attempt to deliver a payload to a webhook, signed as of now. Whatever the receiver does, it does not reject.
 * @throws {AppError} unavailable when no key that is known here opens the secret: that is for an operator to mend,
 * and no failure of the receiver's.
 * @param limit milliseconds, where they are not the usual ones.
 */
export async function deliver(
  { send, secrets, now }: Sender,
  webhook: Pick<Webhook, 'webhook_id' | 'url' | 'secret' | 'previous_secrets'>,
  { event_id, payload }: { event_id: string; payload: string },
  limit?: number,
): Promise<Outcome> {
  const signing = signingSecrets(secrets, webhook, now());
  const body = Buffer.from(payload);
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'Gatehouse-Webhooks/1',
    ...signatureHeaders(event_id, body, signing, now()),
  };
  return send({ url: webhook.url, headers, body }, limit);
}
