import { Gauge, type Registry } from 'prom-client';
import type { Receiver } from './receiver.ts';
import { nextLink } from './stream.ts';

/** Shows how far the stream is behind, the same in every process. */
export function measureLag(
  metrics: Registry,
  db: Parameters<typeof nextLink>[0],
  receivers: readonly Receiver[],
  now: () => number,
): void {
  if (receivers.length === 0) return;
  new Gauge({
    name: 'audit_stream_lag_seconds',
    help: 'Age of the oldest linked audit event that a collector has not taken, 0 if there is none',
    labelNames: ['to'],
    registers: [metrics],
    async collect() {
      for (const { name } of receivers) {
        // While the database is down, the last figure stays.
        const next = await nextLink(db, `stream to ${name}`).catch(() => undefined);
        if (next !== undefined) this.set({ to: name }, next ? (now() - next.at.getTime()) / 1_000 : 0);
      }
    },
  });
}
