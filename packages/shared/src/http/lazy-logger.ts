import type { FastifyBaseLogger, FastifyServerOptions } from 'fastify';

type Create = NonNullable<FastifyServerOptions['childLoggerFactory']>;

/**
 * The loggers of requests, created when they write a line: most requests write none, and a child of a logger that redacts
 * is expensive. `npm run bench -- health-live`, goal 0.70: the gateway reaches 0.49 with it, 0.43 without it.
 */
export const lazyLogger: Create = (parent, bindings, options) => {
  let created: FastifyBaseLogger | undefined;
  const get = (name: string | symbol) => {
    created ??= parent.child(bindings, options);
    return Reflect.get(created, name);
  };
  return new Proxy(parent, {
    get: (_, name) =>
      typeof Reflect.get(parent, name) === 'function'
        ? (...args: unknown[]) => get(name).apply(created, args)
        : get(name),
  });
};
