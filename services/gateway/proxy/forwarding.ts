import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';

export const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** Registers routes below the prefix that the plugin is registered with. */
export type Forwarding = FastifyPluginAsync<{ routes: string[]; config: { public: boolean } }>;

/** Handles every method of the routes in the same way. */
export const forwarding =
  (handler: (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>): Forwarding =>
  async (app, { routes, config }) => {
    for (const url of routes) app.route({ method: METHODS, url, config, handler });
  };
