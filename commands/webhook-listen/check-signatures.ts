import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { standardKey } from '../../packages/webhooks/delivery/signature.ts';

/** Seconds by which the clocks of sender and receiver may differ, as the libraries of Standard Webhooks allow. */
const TOLERANCE = 300;

export interface Verdict {
  holds: boolean;
  why: string;
}

const HOLDS: Verdict = { holds: true, why: 'holds' };
const fails = (why: string): Verdict => ({ holds: false, why });

/**
 * Checks both signatures of a delivery, as a receiver does (CONTRACT.md §Signature).
 * @param body the exact bytes that arrived.
 * @param now Unix milliseconds.
 */
export const checkSignatures = (
  headers: IncomingHttpHeaders,
  body: Buffer,
  secret: string,
  now: number,
): Record<'x-service-signature' | 'webhook-signature', Verdict> => ({
  'x-service-signature': checkService(headers, body, secret),
  'webhook-signature': checkStandard(headers, body, secret, now),
});

function checkService(headers: IncomingHttpHeaders, body: Buffer, secret: string): Verdict {
  const given = headers['x-service-signature'];
  if (typeof given !== 'string') return fails('is missing');
  const expected = `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
  return equal(given, expected) ? HOLDS : fails('DOES NOT HOLD: another secret, or the body has changed');
}

function checkStandard(
  { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': given }: IncomingHttpHeaders,
  body: Buffer,
  secret: string,
  now: number,
): Verdict {
  if (typeof id !== 'string' || typeof timestamp !== 'string' || typeof given !== 'string')
    return fails('is missing, or webhook-id or webhook-timestamp is');
  const hmac = createHmac('sha256', standardKey(secret)).update(`${id}.${timestamp}.`).update(body);
  const expected = `v1,${hmac.digest('base64')}`;
  if (!given.split(' ').some((signature) => equal(signature, expected)))
    return fails('DOES NOT HOLD: another secret, or the body has changed');
  const age = Math.round(now / 1000 - Number(timestamp));
  if (!(Math.abs(age) <= TOLERANCE)) return fails(`holds, but webhook-timestamp is ${age} seconds old`);
  return HOLDS;
}

function equal(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}
