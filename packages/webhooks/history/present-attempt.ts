import { z } from 'zod';
import { ATTEMPT_ANSWER, type Attempt, EXCHANGE_ANSWER, type Exchange } from '../delivery-records.ts';

export const ATTEMPT_EXAMPLE = {
  at: '2026-01-15T09:30:00.120Z',
  duration_ms: 84,
  status: 200,
  error: null,
  answer: '{"ok":true}',
};

export const EXCHANGE_EXAMPLE = {
  ...ATTEMPT_EXAMPLE,
  request_headers: {
    'content-type': 'application/json',
    'user-agent': 'Gatehouse-Webhooks/1',
    'x-service-signature': 'sha256=8d2f6d1b4f4a8a53b6fb3f1f0c6e4a7e2a5d9c1b7e3f0a6d4c2b8e9f1a3d5c7b',
    'webhook-id': 'conv-started_8421',
    'webhook-timestamp': '1768469400',
    'webhook-signature': 'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  },
};

const attempt = {
  at: z.string().meta({ format: 'date-time' }),
  duration_ms: z.int(),
  status: z
    .int()
    .nullable()
    .meta({ description: "The receiver's status code; null when there was no response" }),
  error: z.string().nullable().meta({ description: 'Why there was no complete response' }),
};

/** One attempt to deliver, as a list shows it. */
export const attemptRecord = z
  .object({
    ...attempt,
    answer: z.string().meta({ description: `The first ${ATTEMPT_ANSWER} bytes of the response body` }),
  })
  .meta({ examples: [ATTEMPT_EXAMPLE] });

/** One attempt with what was sent and received. */
export const exchangeRecord = z
  .object({
    ...attempt,
    answer: z.string().meta({
      description: `The first ${EXCHANGE_ANSWER / 1_024} KiB of the response body; ${ATTEMPT_ANSWER} bytes of an older attempt`,
    }),
    request_headers: z.record(z.string(), z.string()).nullable().meta({
      description:
        'The headers that were sent, without those of HTTP itself; values of custom headers are masked. Null for an older attempt',
    }),
  })
  .meta({ examples: [EXCHANGE_EXAMPLE] });

export const presentAttempt = ({ at, duration_ms, status, error, answer }: Attempt) => ({
  at: at.toISOString(),
  duration_ms,
  status,
  error,
  answer,
});

export const presentExchange = (attempt: Attempt, exchange: Exchange | undefined) => ({
  ...presentAttempt(attempt),
  ...(exchange?.answer && { answer: exchange.answer }),
  request_headers: exchange ? headersOf(exchange) : null,
});

const headersOf = ({ request_headers }: Exchange): Record<string, string> =>
  typeof request_headers === 'string' ? JSON.parse(request_headers) : Object.fromEntries(request_headers);
