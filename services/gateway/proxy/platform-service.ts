import httpProxy, { type FastifyHttpProxyOptions } from '@fastify/http-proxy';
import type { Dispatcher } from 'undici';
import { forwardedRequestHeaders } from './forwarded-headers.ts';
import { type Forwarding, METHODS } from './forwarding.ts';
import type { Idempotency } from './idempotency.ts';
import { relay, type UpstreamResponse } from './response.ts';
import { bodyOf, type ForwardOptions, type Upstream, type UpstreamRequest } from './upstreams.ts';

interface Call extends ForwardOptions {
  resolve(response: Promise<UpstreamResponse>): void;
}

/** Holds the call among its headers: reply-from passes nothing else of a call to its HTTP client, and copies symbols. */
const CALL = Symbol('call');

type CarryingTarget = UpstreamRequest & { headers: { [CALL]: Call } };

/**
 * Forwards a prefix to a platform service through @fastify/http-proxy. The policy has refused every path that is not
 * canonical, so no path is left that the proxy could resolve to another prefix or origin.
 */
export const platformService =
  (upstream: Upstream, idempotency: Idempotency): Forwarding =>
  (app, { prefix, routes, config }) => {
    /**
     * The HTTP client of reply-from: our own pool, which verifies certificates, has our time limits and never retries.
     * It does not call back. reply-from would log a disconnected client as a warning, discard the response that an
     * Idempotency-Key waits for, and set the headers of a small body that may still break off.
     */
    const request = ({ method, path, headers: { [CALL]: call, ...headers } }: CarryingTarget) =>
      call.resolve(upstream.send({ method, path, headers }, call));

    return app.register(httpProxy, {
      prefix,
      upstream: upstream.origin + upstream.basePath,
      rewritePrefix: upstream.basePath + prefix,
      routes,
      httpMethods: METHODS,
      config: { ...config, streams: true },
      proxyPayloads: false,
      undici: { request: request as unknown as Dispatcher['request'] },
      disableCache: true,
      disableRequestLogging: true,
      async handler(request, reply, path, options) {
        const send = ({ body = bodyOf(request), signal }: ForwardOptions) =>
          new Promise<UpstreamResponse>((resolve) => {
            const call: Call = { body, signal, resolve };
            const rewriteRequestHeaders = () => ({ ...forwardedRequestHeaders(request), [CALL]: call });
            reply.from(path, { ...options, rewriteRequestHeaders });
          });
        return relay(reply, await idempotency(request, reply, send));
      },
    } as FastifyHttpProxyOptions);
  };
