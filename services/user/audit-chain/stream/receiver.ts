import type { StreamedEvent } from './streamed-event.ts';

/** Who gets the events. */
export interface Receiver {
  name: 'otlp' | 'webhook';
  /** @param now Unix milliseconds. */
  request(
    events: readonly StreamedEvent[],
    now: number,
  ): { url: string; headers: Record<string, string>; body: Buffer };
  /** How many events the receiver has refused for good, by the answer to a request that succeeded. */
  rejected?(answer: string): { count: number; reason: string } | null;
}
