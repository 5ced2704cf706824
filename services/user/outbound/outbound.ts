import type { Dispatcher } from 'undici';

/** How we reach addresses that customers configure: their identity providers. */
export interface Outbound {
  /** Dials HTTP under the rules for addresses; never follows redirects. */
  agent: Dispatcher;
  /**
   * Resolves a host to the addresses that may be dialed, for protocols other than HTTP.
   * @throws {NotPublicError} when any of them is refused.
   */
  resolve(hostname: string): Promise<string[]>;
}
