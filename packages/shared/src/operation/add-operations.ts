import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestAsyncHookHandler } from 'fastify';
import { z } from 'zod';
import { audit } from '../identity/audit.ts';
import { callerId, requireFresh } from '../identity/principal.ts';
import type { Call, CommonDependencies, Facts, Operation } from './operation.ts';
import { isBearer, isForOperators, securityOf } from './requirement.ts';
import type { Message } from './responses.ts';
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
export async function addOperations<Deps extends CommonDependencies>(
  app: FastifyInstance,
  operations: readonly Operation<Deps>[],
  dependencies: Deps,
  guards: Guards = {},
): Promise<void> {
  for (const [scope, scoped] of Map.groupBy(operations, (operation) => operation.scope)) {
    const add = async (target: FastifyInstance) => {
      await scope?.(target, dependencies);
      for (const operation of scoped) {
        const isInOrganization =
          operation.path.includes('{organization_id}') && !isForOperators(operation.needs);
        if (isInOrganization && !target.hasRequestDecorator('membership'))
          throw new Error(`nothing checks the membership of callers of ${operation.path}`);
        requireOperatorScope(operation, target);
        target.route(routeOf(operation, dependencies, guards));
      }
    };
    await (scope ? app.register(add) : add(app));
  }
}

/** What is below this path is for operators alone, and nothing else is: the scope of their operations checks them. */
function requireOperatorScope({ method, path, needs, fresh }: Facts, target: FastifyInstance): void {
  const isAdmin = path.startsWith(ADMIN);
  if (isAdmin !== isForOperators(needs)) throw new Error(`${path} needs "${needs}"`);
  if (isAdmin && !target.hasRequestDecorator('operator'))
    throw new Error(`nothing checks that callers of ${path} are operators`);
  if (isAdmin && method !== 'GET' && !fresh) throw new Error(`${method} ${path} needs no fresh session`);
}
const ADMIN = '/api/v1/admin/';

function routeOf<Deps extends CommonDependencies>(
  operation: Operation<Deps>,
  dependencies: Deps,
  guards: Guards,
) {
  const { method, path, needs, fresh, byKey, bodyLimit, streamsBody, returnsSecret, config } = operation;
  const [status = 200] = Object.keys(successes(operation)).map(Number);
  const guard = needs === 'service key' ? guards[needs] : undefined;
  if (needs === 'service key' && !guard) throw new Error(`nothing checks the service key of ${path}`);
  if (fresh && !isBearer(needs)) throw new Error(`no session of a caller of ${path} can be fresh`);
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
    ...(fresh && {
      async onRequest(request: FastifyRequest) {
        // An operator's key has passed the check of its permission.
        if (!(byKey === true && request.principal?.key)) requireFresh(request, dependencies.now());
        callerId(request);
      },
    }),
    ...(streamsBody && { validatorCompiler: () => () => true }),
    async handler(request: FastifyRequest, reply: FastifyReply) {
      const answer = await operation.handle(callOf(dependencies, request, reply.code(status)));
      if (returnsSecret && answer !== reply) reply.header('cache-control', 'no-store');
      return answer ?? (operation.returns as Message).fixed;
    },
  };
}

/** The path in the router's spelling. */
export const routePath = (path: string): string => path.replaceAll(/\{(\w+)\}/g, ':$1');

function callOf<Deps extends CommonDependencies>(
  dependencies: Deps,
  request: FastifyRequest,
  reply: FastifyReply,
): Call<Deps> {
  const { params, query, body } = request;
  const call = {
    ...dependencies,
    params,
    query,
    body,
    request,
    reply,
    audit: auditOf(dependencies, request),
  };
  return Object.setPrototypeOf(call, CALL);
}

/** On the prototype: copying a call must not evaluate the getter, which may throw. */
const CALL = {
  get caller(): string {
    return callerId((this as unknown as Call).request);
  },
};

const auditOf =
  ({ db, now }: CommonDependencies, request: FastifyRequest): Call['audit'] =>
  (action, details) => {
    const { organization_id = null, department_id = null } = request.params as {
      organization_id?: string;
      department_id?: string;
    };
    return audit(db, request, now(), { organization_id, department_id, ...details, action });
  };

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
