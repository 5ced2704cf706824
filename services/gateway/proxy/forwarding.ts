import type { FastifyContextConfig, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

export const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

interface ForwardedRoutes {
  prefix: string;
  /** Paths below the prefix. */
  routes: string[];
  /** Every method by default. */
  methods?: string[];
  config: FastifyContextConfig & { public: boolean };
}

/** Registers routes that forward their calls. */
export type Forwarding = (app: FastifyInstance, routes: ForwardedRoutes) => unknown;

/** Handles every method of the routes in the same way. */
export const forwarding =
  (handler: (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>): Forwarding =>
  (app, { prefix, routes, methods = METHODS, config }) => {
    for (const route of routes) app.route({ method: methods, url: prefix + route, config, handler });
  };
