import type { Secrets } from '@gatehouse/shared/data/secrets';
import { channels } from '@gatehouse/shared/tracing/channels';
import type { Webhook } from '../records.ts';
import { maskedHeaders, openHeaders } from '../registration/headers.ts';
import type { Outcome, Send } from './send.ts';
import { type SigningSecrets, signatureHeaders } from './signature.ts';

export interface Sender {
  send: Send;
  secrets: Secrets;
  now: () => number;
}

/** The outcome of an attempt, with the headers that were sent. */
export type Sent = Outcome & {
  /** Without the headers that HTTP adds. Values of custom headers are masked. */
  request_headers: Record<string, string>;
};

/** The URL, the headers and the decrypted secrets of a webhook. */
export interface Target {
  url: string;
  secret: string;
  previousSecrets: { secret: string; until: Date }[];
  /** The custom headers. */
  headers: Record<string, string>;
  maskedHeaders: Record<string, string>;
}

type Targeted = Pick<Webhook, 'webhook_id' | 'url' | 'secret' | 'previous_secrets' | 'headers'>;

/** @throws {AppError} unavailable when none of the configured keys opens the webhook's secret or a header. */
export const openTarget = ({ secrets, now }: Pick<Sender, 'secrets' | 'now'>, webhook: Targeted): Target => ({
  url: webhook.url,
  secret: secrets.open(webhook.secret, webhook.webhook_id),
  previousSecrets: stillSigning(webhook.previous_secrets, now()).map(({ secret, until }) => ({
    secret: secrets.open(secret, webhook.webhook_id),
    until,
  })),
  headers: openHeaders(secrets, webhook),
  maskedHeaders: maskedHeaders(webhook),
});

/** Whether the target of a webhook that was read again is unchanged. */
export const hasSameTarget = (one: Targeted, other: Targeted): boolean =>
  sealedTarget(one) === sealedTarget(other);

const sealedTarget = ({ url, secret, previous_secrets, headers }: Targeted): string =>
  JSON.stringify([url, secret, previous_secrets, headers]);

/**
 * Signs a payload and makes one attempt to deliver it. A failure of the receiver is an outcome, not an error.
 * @param timeout milliseconds, if not the usual limit.
 */
export async function deliver(
  { send, now }: Pick<Sender, 'send' | 'now'>,
  target: Target,
  { event_id, payload }: { event_id: string; payload: string },
  timeout?: number,
): Promise<Sent> {
  const body = Buffer.from(payload);
  const ours = {
    'content-type': 'application/json',
    'user-agent': 'Gatehouse-Webhooks/1',
    ...signatureHeaders(event_id, body, signingSecrets(target, now()), now()),
  };
  // Custom headers come first: they cannot replace ours.
  const headers = { ...target.headers, ...ours };
  const outcome = await channels.webhook.tracePromise(() =>
    send({ url: target.url, headers, body }, timeout),
  );
  return { ...outcome, request_headers: { ...target.maskedHeaders, ...ours } };
}

/** The secrets that sign now. */
function signingSecrets({ secret, previousSecrets }: Target, now: number): SigningSecrets {
  return [secret, ...stillSigning(previousSecrets, now).map((previous) => previous.secret)];
}

const stillSigning = (previous: Target['previousSecrets'], now: number) =>
  previous.filter(({ until }) => until.getTime() > now);
