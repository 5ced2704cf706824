import type { FastifyBaseLogger, FastifyServerOptions } from 'fastify';

type Create = () => FastifyBaseLogger;

const METHODS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent', 'child'] as const;

/** Creates a logger when it is first used. */
class LazyLogger {
  readonly #create: Create;
  #created: FastifyBaseLogger | undefined;

  constructor(create: Create) {
    this.#create = create;
  }

  get logger(): FastifyBaseLogger {
    this.#created ??= this.#create();
    return this.#created;
  }

  get level(): string {
    return this.logger.level;
  }
}

for (const method of METHODS) {
  Object.defineProperty(LazyLogger.prototype, method, {
    value(this: LazyLogger, ...args: unknown[]) {
      return (this.logger[method] as (...args: unknown[]) => unknown)(...args);
    },
  });
}

/** The loggers of requests. Most requests write no line, and a child of a logger that redacts costs as much as a hook. */
export const lazyLogger: NonNullable<FastifyServerOptions['childLoggerFactory']> = (
  parent,
  bindings,
  options,
) => new LazyLogger(() => parent.child(bindings, options)) as unknown as FastifyBaseLogger;
