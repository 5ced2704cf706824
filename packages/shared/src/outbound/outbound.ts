import { isIP, type LookupFunction } from 'node:net';
import { LRUCache } from 'lru-cache';
import { Agent, buildConnector } from 'undici';
import type { Config } from '../config.ts';
import { withTimeout } from '../with-timeout.ts';
import { ClearTextError } from './clear-text.ts';
import { networkCheck } from './networks.ts';
import { isAllowedPort, PortError } from './ports.ts';
import {
  createResolve,
  isLocalName,
  isPublicAddress,
  NotPublicError,
  type Resolve,
} from './public-address.ts';

/** Bytes of a response. Metadata of federations can be larger; that of one provider is a few KiB. */
const MAX_RESPONSE = 1024 * 1024;

/** Agents with authorities of their own that are kept. */
const MAX_AGENTS = 100;

/** The limits of a call to a provider, in milliseconds, and the name resolution. Tests inject others. */
const DEFAULTS = {
  /** For a connection, TLS included. */
  connectTimeout: 5_000,
  /** For the head of a response, and between two parts of its body. */
  readTimeout: 5_000,
  /** For name servers. */
  resolveTimeout: 3_000,
};

export type OutboundTuning = Partial<typeof DEFAULTS> & { resolve?: Resolve };

type Settings = Pick<Config<'user'>, 'NODE_ENV' | 'SSO_ALLOWED_NETWORKS' | 'WEBHOOK_PORTS'>;

/** The name servers did not answer in time. */
class ResolveTimeoutError extends Error {
  readonly code = 'ETIMEOUT';
}

/**
 * How we reach addresses that customers configure: their identity providers.
 *
 * Providers have public addresses or are in the networks that the operator allows. What the operator allows needs
 * neither TLS nor a port of web servers. Addresses are checked whenever a connection is made (DNS rebinding).
 */
export function createOutbound(config: Settings, tuning: OutboundTuning = {}) {
  const { resolve: resolveName = createResolve(), ...limits } = tuning;
  const { connectTimeout, readTimeout, resolveTimeout } = { ...DEFAULTS, ...limits };
  const isAllowed = networkCheck(config.SSO_ALLOWED_NETWORKS);
  const isProduction = config.NODE_ENV === 'production';

  async function addressesOf(hostname: string): Promise<string[]> {
    const host = hostname.replace(/^\[(.*)\]$/, '$1');
    if (isIP(host)) return [host];
    // RFC 6761 §6.3: name servers are not asked.
    if (/^(?:.+\.)?localhost\.?$/i.test(host)) return ['127.0.0.1', '::1'].filter(isAllowed);
    return withTimeout(resolveName(host), resolveTimeout, new ResolveTimeoutError());
  }

  /**
   * Resolves a host to the addresses that may be dialed, also for protocols other than HTTP.
   * @param trusted whether only addresses in SSO_ALLOWED_NETWORKS will do, as for connections without TLS.
   * @throws {NotPublicError} when any of them is refused.
   */
  async function resolve(hostname: string, { trusted = false } = {}): Promise<string[]> {
    const addresses = await addressesOf(hostname);
    const onlyAllowed = trusted || isLocalName(hostname);
    const mayDial = (address: string) => isAllowed(address) || (!onlyAllowed && isPublicAddress(address));
    if (addresses.length === 0 || !addresses.every(mayDial)) throw new NotPublicError();
    return addresses;
  }

  /** Returns the addresses of an HTTP target. */
  async function resolveTarget(target: { protocol: string; hostname: string; port: string }) {
    const isClear = isProduction && target.protocol !== 'https:';
    const isOddPort = !isAllowedPort(target, config.WEBHOOK_PORTS);
    try {
      return await resolve(target.hostname, { trusted: isClear || isOddPort });
    } catch (error) {
      if (!(error instanceof NotPublicError) || !(isClear || isOddPort)) throw error;
      // Name the reason that applies to an address that is public.
      await resolve(target.hostname);
      throw isClear ? new ClearTextError() : new PortError();
    }
  }

  const connector = (addresses: string[], ca: string | undefined) => {
    const found = addresses.map((address) => ({ address, family: isIP(address) }));
    const [first] = found as [(typeof found)[0]];
    const lookup: LookupFunction = (_hostname, { all }, callback) =>
      all ? callback(null, found) : callback(null, first.address, first.family);
    // undici passes `lookup` on to node:net.
    const settings = { timeout: connectTimeout, lookup, ...(ca !== undefined && { ca }) };
    return buildConnector(settings as buildConnector.BuildOptions);
  };
  const createAgent = (ca?: string) =>
    new Agent({
      pipelining: 1,
      allowH2: false,
      keepAliveTimeout: 10_000,
      maxResponseSize: MAX_RESPONSE,
      headersTimeout: readTimeout,
      bodyTimeout: readTimeout,
      connect: (target, callback) => {
        resolveTarget(target).then(
          (addresses) => connector(addresses, ca)(target, callback),
          (error) => callback(error, null),
        );
      },
    });
  const agent = createAgent();
  const agents = new LRUCache<string, Agent>({
    max: MAX_AGENTS,
    memoMethod: createAgent,
    dispose: (evicted) => void evicted.close().catch(() => {}), // calls in flight end first
  });

  return {
    /** Dials HTTP under the rules for addresses; never follows redirects. */
    agent,
    /**
     * Does the same, with these certificates in PEM in place of the authorities of the system. A connection of one agent
     * never serves another: they trust different authorities.
     */
    agentFor: (ca: string | null | undefined): Agent => (ca ? agents.memo(ca) : agent),
    resolve,
    /**
     * Resolves the host of a URL under the rules of `agent`.
     * @throws {NotPublicError | PortError} when the URL may not be dialed.
     */
    check: async (url: URL) => void (await resolveTarget(url)),
    close: async () => {
      await Promise.all([agent, ...agents.values()].map((each) => each.destroy()));
    },
  };
}

export type Outbound = ReturnType<typeof createOutbound>;
