import { Resolver } from 'node:dns/promises';
import { withTimeout } from '@gatehouse/shared/with-timeout';

/** Returns the TXT records of a name, each as its strings. Rejects with a DNS error code when there are none. */
export type ResolveTxt = (name: string) => Promise<string[][]>;

/** No name server answered in time. */
class ResolveTimeoutError extends Error {
  readonly code = 'ETIMEOUT';
}

/** @param limits.timeout milliseconds for the whole resolution; by default well under those of the gateway. */
export function createResolveTxt({
  timeout = 5_000,
  servers = [],
}: {
  timeout?: number;
  servers?: readonly string[];
} = {}): ResolveTxt {
  const resolver = new Resolver({ timeout: Math.ceil(timeout / 2), tries: 2 });
  if (servers.length > 0) resolver.setServers(servers);
  return (name) => withTimeout(resolver.resolveTxt(name), timeout, new ResolveTimeoutError());
}
