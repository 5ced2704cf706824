import { AppError } from '@gatehouse/shared/http/errors';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Principals } from '../policy/principals.ts';
import type { Idempotency } from './idempotency.ts';
import { PREFIXES, type Prefix } from './prefixes.ts';
import { type Passing, relay, type Upstream } from './upstreams.ts';
import { wholeBody } from './whole-body.ts';

interface Options {
  upstreams: Record<Prefix, Upstream | undefined>;
  /** Those of them that are our own services. */
  ours: ReadonlySet<Upstream | undefined>;
  /** Paths that the gateway checks itself, at that very spelling. */
  checked: readonly string[];
  /** Exact paths that a third party calls without a bearer. */
  publicPaths: readonly string[];
  idempotency: Idempotency;
  principals: Principals;
}

/** Passes every prefix of the catalogue on to what serves it; to the platform, bodies and answers stream. */
export async function catalogue(
  app: FastifyInstance,
  { upstreams, ours, checked, publicPaths, idempotency, principals }: Options,
): Promise<void> {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', async () => undefined);
  // The request stream is not read here: it flows on as it comes.
  const method = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];
  const schema = { hide: true };

  // A service may take a trailing slash for nothing, and so what was not checked for what was.
  for (const path of checked) {
    app.route({
      method,
      url: `${path}/`,
      schema,
      handler: () => {
        throw new AppError('notFound');
      },
    });
  }
  for (const [prefix, name] of Object.entries(PREFIXES) as [Prefix, string][]) {
    const upstream = upstreams[prefix];
    const isOurs = ours.has(upstream);
    const config = { streams: !isOurs };
    const handler = async (request: FastifyRequest, reply: FastifyReply) => {
      if (!upstream) throw new AppError('unavailable', { text: `No service is configured for ${prefix}/` });
      // Our own services take no uploads: a call waits here for its body, not at the service.
      const whole = isOurs ? await wholeBody(request) : undefined;
      if (name === 'login') {
        const answer = await upstream.forward(request, { body: whole });
        // A logout ends here at once what other gateways forget within a second.
        principals.forget(request.headers.authorization);
        return relay(reply, answer);
      }
      const pass = (passing: Passing) => upstream.forward(request, passing);
      return relay(reply, await idempotency(request, reply, pass, whole));
    };
    app.route({ method, url: prefix, schema, config, handler });
    app.route({ method, url: `${prefix}/*`, schema, config, handler });
    for (const path of publicPaths.filter((candidate) => candidate.startsWith(`${prefix}/`))) {
      app.route({ method, url: path, schema, config: { ...config, public: true }, handler });
    }
  }
}
