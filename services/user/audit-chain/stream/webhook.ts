import { signatureHeaders } from '@gatehouse/webhooks/signature';
import type { Receiver } from './receiver.ts';

/** A POST that is signed like every webhook (CONTRACT.md §Signature). */
export const webhookReceiver = (url: string, secret: string): Receiver => ({
  name: 'webhook',
  request(events, now) {
    const [first, last] = [events[0]?.chain.position, events.at(-1)?.chain.position];
    const body = Buffer.from(
      JSON.stringify({ type: 'audit.events', timestamp: new Date(now).toISOString(), data: { events } }),
    );
    const headers = signatureHeaders(`audit_${first}-${last}`, body, [secret], now);
    return { url, headers: { ...headers, 'content-type': 'application/json' }, body };
  },
});
