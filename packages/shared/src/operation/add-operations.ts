import type { FastifyInstance, onRequestAsyncHookHandler } from 'fastify';
import { z } from 'zod';
import type { Facts, Operation } from './operation.ts';
import { isBearer, securityOf } from './requirement.ts';
import { failuresOf, successes } from './schemas.ts';
import { tagOf } from './tags.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The operation of the route. Pages, health and documents have none. */
    operation?: Facts;
  }
}

/** Checks the key of callers that are services of the platform. */
export type Guards = { 'service key'?: onRequestAsyncHookHandler };

/** Adds the routes of operations to a server. Operations that name the same scope share one. */
export async function addOperations<Deps>(
  app: FastifyInstance,
  operations: readonly Operation<Deps>[],
  dependencies: Deps,
  guards: Guards = {},
): Promise<void> {
  for (const [scope, scoped] of Map.groupBy(operations, (operation) => operation.scope)) {
    const add = async (target: FastifyInstance) => {
      await scope?.(target, dependencies);
      for (const operation of scoped) target.route(routeOf(operation, dependencies, guards));
    };
    await (scope ? app.register(add) : add(app));
  }
}

function routeOf<Deps>(operation: Operation<Deps>, dependencies: Deps, guards: Guards) {
  const { method, path, needs, bodyLimit, streamsBody, returnsSecret, config } = operation;
  const [status = 200] = Object.keys(successes(operation)).map(Number);
  const guard = needs === 'service key' ? guards[needs] : undefined;
  if (needs === 'service key' && !guard) throw new Error(`nothing checks the service key of ${path}`);
  if (needs === 'SCIM token' && !operation.scope) throw new Error(`nothing checks the SCIM token of ${path}`);
  return {
    method,
    url: routePath(path),
    schema: schemaOf(operation),
    config: {
      ...config,
      ...(streamsBody && { streams: true }),
      operation,
      public: !isBearer(needs),
    },
    ...(bodyLimit !== undefined && { bodyLimit }),
    ...(guard && { onRequest: guard }),
    ...(streamsBody && { validatorCompiler: () => () => true }),
    handler: async (...[request, reply]: Handled) => {
      const answer = await operation.run(dependencies, request, reply.code(status));
      if (returnsSecret && answer !== reply) reply.header('cache-control', 'no-store');
      return answer;
    },
  };
}

/** The path in the router's spelling. */
export const routePath = (path: string): string => path.replaceAll(/\{(\w+)\}/g, ':$1');

type Handled = Parameters<Operation['run']> extends [unknown, ...infer Rest] ? Rest : never;

/** The route's schemas and documentation. */
function schemaOf(operation: Operation<never>) {
  const {
    path,
    needs,
    summary,
    description,
    params,
    query,
    headers,
    body,
    consumes,
    produces,
    responses,
    hidden,
  } = operation;
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  const pathParameters =
    params ??
    (names.length > 0 ? z.object(Object.fromEntries(names.map((name) => [name, z.string()]))) : undefined);
  return {
    ...(hidden && { hide: true }),
    tags: [tagOf(path)],
    security: securityOf(needs),
    summary,
    description,
    ...(consumes && { consumes: [...consumes] }),
    ...(produces && { produces: [...produces] }),
    ...(pathParameters && { params: pathParameters }),
    ...(query && { querystring: query }),
    ...(headers && { headers }),
    ...(body && { body }),
    response: { ...successes(operation), ...(responses ?? failuresOf(operation)) },
  };
}
