import type { Config } from '@gatehouse/shared/config';
import type { Dispatcher } from 'undici';
import { createAgent } from './agent.ts';
import { createResolve, publicAddresses, type Resolve } from './public-address.ts';

/** How we reach addresses that customers configure: their identity providers. */
export interface Outbound {
  /** Dials HTTP under the rules for addresses; never follows redirects. */
  agent: Dispatcher;
  /**
   * Resolves a host to the addresses that may be dialed, for protocols other than HTTP.
   * @throws {NotPublicError} when any of them is refused.
   */
  resolve(hostname: string): Promise<string[]>;
  close(): Promise<void>;
}

/** The name resolution. Tests inject another. */
export interface OutboundTuning {
  resolve?: Resolve;
}

export function createOutbound(
  config: Pick<Config<'user'>, 'WEBHOOK_ALLOW_PRIVATE' | 'WEBHOOK_PORTS'>,
  { resolve = createResolve() }: OutboundTuning = {},
): Outbound {
  const allowPrivate = config.WEBHOOK_ALLOW_PRIVATE;
  const agent = createAgent({ allowPrivate, ports: config.WEBHOOK_PORTS, resolve });
  return {
    agent,
    resolve: (hostname) => (allowPrivate ? resolve(hostname) : publicAddresses(hostname, resolve)),
    close: () => agent.destroy(),
  };
}
