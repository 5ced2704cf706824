import { z } from 'zod';
import type { Attempt } from '../records.ts';

export const ATTEMPT_EXAMPLE = {
  at: '2026-01-15T09:30:00.120Z',
  duration_ms: 84,
  status: 200,
  error: null,
  answer: '{"ok":true}',
};

/** One attempt to deliver, as the owner of the webhook sees it. */
export const attemptRecord = z
  .object({
    at: z.string().meta({ format: 'date-time' }),
    duration_ms: z.int(),
    status: z
      .int()
      .nullable()
      .meta({ description: "The receiver's status code; null when there was no response" }),
    error: z.string().nullable().meta({ description: 'Why there was no complete response' }),
    answer: z.string().meta({ description: 'The first 1,024 bytes of the response body' }),
  })
  .meta({ examples: [ATTEMPT_EXAMPLE] });

export const presentAttempt = ({ at, duration_ms, status, error, answer }: Attempt) => ({
  at: at.toISOString(),
  duration_ms,
  status,
  error,
  answer,
});
