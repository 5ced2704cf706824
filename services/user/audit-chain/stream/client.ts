import { createAgent } from '@gatehouse/shared/outbound/agent';
import { createResolve } from '@gatehouse/shared/outbound/public-address';
import { createSend } from '@gatehouse/webhooks/send';

/** Milliseconds for one attempt. */
const TIMEOUT = 15_000;

/**
 * Calls the collector of the operator. A setting names it, no person does, and most are in a private network: it may have
 * any address and port.
 */
export function createCollectorClient(now: () => number) {
  const agent = createAgent({ allowPrivate: true, ports: [], resolve: createResolve() });
  return {
    send: createSend({ agent, attemptTimeout: TIMEOUT, now }),
    close: () => agent.destroy(),
  };
}
