import { isIP, type LookupFunction } from 'node:net';
import { Agent, buildConnector } from 'undici';
import { publicAddresses, type Resolve } from './public-address.ts';

/** Milliseconds for a connection, its TLS included. */
const CONNECT_TIMEOUT = 10_000;

/**
 * Kept-alive connections to receivers. The addresses are judged here, as they are dialled: whatever a name meant
 * when it was configured, it may mean something else now. Redirects are not followed, and no proxy of the
 * environment is used.
 */
export function createAgent({ allowPrivate, resolve }: { allowPrivate: boolean; resolve: Resolve }): Agent {
  const options = { pipelining: 1, connections: null, keepAliveTimeout: 30_000, allowH2: false };
  if (allowPrivate) return new Agent({ ...options, connect: { timeout: CONNECT_TIMEOUT } });

  const lookup: LookupFunction = (hostname, { all }, callback) => {
    publicAddresses(hostname, resolve).then(
      (addresses) => {
        const found = addresses.map((address) => ({ address, family: isIP(address) }));
        const [first] = found as [(typeof found)[0]];
        if (all) callback(null, found);
        else callback(null, first.address, first.family);
      },
      (error) => callback(error, ''),
    );
  };
  // `lookup` goes on to node:net as it is.
  const dial = buildConnector({ timeout: CONNECT_TIMEOUT, lookup } as buildConnector.BuildOptions);
  return new Agent({
    ...options,
    // A literal address is not looked up, so it is judged first; a name is, again, by `lookup`.
    connect: (target, callback) => {
      if (!isIP(target.hostname)) return dial(target, callback);
      publicAddresses(target.hostname, resolve).then(
        () => dial(target, callback),
        (error) => callback(error, null),
      );
    },
  });
}
