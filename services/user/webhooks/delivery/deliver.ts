import type { Secrets } from '../../secrets.ts';
import type { Exchange, Webhook } from '../records.ts';
import { maskedHeaders, openHeaders } from '../registration/headers.ts';
import type { Outcome, Send } from './send.ts';
import { type SigningSecrets, signatureHeaders } from './signature.ts';

export interface Sender {
  send: Send;
  secrets: Secrets;
  now: () => number;
}

/** The outcome of an attempt, and what was sent. */
export type Sent = Outcome & Pick<Exchange, 'request_headers'>;

/**
 * Signs a payload and makes one attempt to deliver it. A failure of the receiver is an outcome, not an error.
 * @param timeout milliseconds, if not the usual limit.
 * @throws {AppError} unavailable when none of the configured keys opens the webhook's secret or a header.
 */
export async function deliver(
  { send, secrets, now }: Sender,
  webhook: Pick<Webhook, 'webhook_id' | 'url' | 'secret' | 'previous_secrets' | 'headers'>,
  { event_id, payload }: { event_id: string; payload: string },
  timeout?: number,
): Promise<Sent> {
  const signing = signingSecrets(secrets, webhook, now());
  const body = Buffer.from(payload);
  const ours = {
    'content-type': 'application/json',
    'user-agent': 'Gatehouse-Webhooks/1',
    ...signatureHeaders(event_id, body, signing, now()),
  };
  // Theirs first, so that none of ours can be replaced.
  const headers = { ...openHeaders(secrets, webhook), ...ours };
  const outcome = await send({ url: webhook.url, headers, body }, timeout);
  return { ...outcome, request_headers: Object.entries({ ...maskedHeaders(webhook), ...ours }) };
}

/**
 * The secrets that sign at this moment.
 * @throws {AppError} unavailable when none of the configured keys opens them.
 */
function signingSecrets(
  secrets: Secrets,
  { webhook_id, secret, previous_secrets }: Pick<Webhook, 'webhook_id' | 'secret' | 'previous_secrets'>,
  now: number,
): SigningSecrets {
  const previous = previous_secrets.filter(({ until }) => until.getTime() > now);
  return [secrets.open(secret, webhook_id), ...previous.map((one) => secrets.open(one.secret, webhook_id))];
}
