import { isIP, type LookupFunction } from 'node:net';
import { Agent, buildConnector } from 'undici';
import { isAllowedPort, PortError, type PortRange } from './ports.ts';
import { publicAddresses, type Resolve } from './public-address.ts';

/** Milliseconds for a connection, TLS included. */
const CONNECT_TIMEOUT = 10_000;
/** Milliseconds until an idle connection is closed, even if the receiver's `Keep-Alive` header offers more. */
const IDLE_TIMEOUT = 30_000;

/**
 * Keep-alive connections to receivers. Addresses are checked here, at connect time, because a name may resolve to
 * another address than when its URL was configured (DNS rebinding); the port, because the setting may have changed.
 * Redirects are not followed, and the proxy variables of the environment are ignored.
 */
export function createAgent({
  allowPrivate,
  ports,
  resolve,
  idleTimeout = IDLE_TIMEOUT,
}: {
  /** Allows every address and every port. */
  allowPrivate: boolean;
  ports: readonly PortRange[];
  resolve: Resolve;
  idleTimeout?: number;
}): Agent {
  const options = {
    pipelining: 1,
    connections: null,
    keepAliveTimeout: idleTimeout,
    keepAliveMaxTimeout: idleTimeout,

    allowH2: false,
  };
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
  // undici passes `lookup` on to node:net.
  const connect = buildConnector({ timeout: CONNECT_TIMEOUT, lookup } as buildConnector.BuildOptions);
  return new Agent({
    ...options,
    // `lookup` runs for names only; an IP address is checked here.
    connect: (target, callback) => {
      if (!isAllowedPort(target, ports)) return callback(new PortError(), null);
      if (!isIP(target.hostname)) return connect(target, callback);
      publicAddresses(target.hostname, resolve).then(
        () => connect(target, callback),
        (error) => callback(error, null),
      );
    },
  });
}
