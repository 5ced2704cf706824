import type { Mailbox } from '@gatehouse/standalone/mailbox/mailbox';
import type { Caller } from '../caller.ts';
import type { Cluster } from '../cluster.ts';

export interface Context {
  cluster: Cluster;
  call: Caller['call'];
  mailbox: Mailbox;
  internalKey: string;
  practice: { base: string; connection: object };
}

/** One kind of client. It remembers what was acknowledged. */
export interface Load {
  /** Makes a few calls. @throws when an answer is not the expected one. */
  step(): Promise<void>;
  /** @throws when something that was acknowledged is lost. @returns what was found, in a few words. */
  verify(): Promise<string>;
}
