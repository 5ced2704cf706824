import {
  createFairQueue,
  type FairQueue,
  type Flows,
  networkFlows,
} from '@gatehouse/shared/identity/fair-queue';
import { mailboxOf } from '@gatehouse/shared/identity/mailbox';
import type { FastifyRequest } from 'fastify';
import PQueue from 'p-queue';

/** Connections to the mail server. */
export const MAX_CONNECTIONS = 10;
/** Maximum number of queued mails. When full, the busiest client's mails are dropped. */
const MAX_QUEUED = 1_000;
/** Connections that one mailbox or network may use, and an IPv6 /56 or /48. */
const PER_FLOW = 5;
const PER_WIDE_NETWORK = 8;

/** Mails other than codes share one flow. They have budgets of their own. */
export const OTHER_MAIL: Flows = [{ name: 'other mail', share: 1 }];

/** The mailbox that a code goes to and the networks that ask for it. */
export const codeMailFlows = ({ ip }: Pick<FastifyRequest, 'ip'>, email: string): Flows => [
  { name: `mailbox ${mailboxOf(email)}`, share: 1 },
  ...networkFlows(ip),
];

/** Shares the connections: a slow mail server must not be busy with one client alone. */
export const createMailQueue = (): FairQueue =>
  createFairQueue(new PQueue({ concurrency: MAX_CONNECTIONS }), {
    maxQueued: MAX_QUEUED,
    maxRunning: ({ share }) => Math.min(PER_FLOW * share, PER_WIDE_NETWORK),
  });
