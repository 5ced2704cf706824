import { failures } from '@gatehouse/shared/http/errors';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { MUTATING } from './proxy/idempotency.ts';

interface Operation {
  security?: object[];
  parameters?: object[];
  responses?: object;
}

interface OpenApi {
  paths: Record<string, Record<string, Operation>>;
}

/** Milliseconds for a service to hand over its document. */
const TIMEOUT = 2_000;
/** What clients reach through the gateway: the catalogue. The Direct contract is in the gateway's own document. */
const SHOWN = /^\/(?:api\/v1|auth)\//;
/** What runs every time, whatever the key: its answers hold tokens or secrets. */
const SECRET = /^(?:\/api\/v1)?\/auth\/|\/rotate-secret$/;

/**
 * The gateway's OpenAPI document: its own operations, and those of the services behind it as they describe
 * themselves. A service that is away is left out, unless it has been asked before.
 */
export function documentOf(services: readonly string[]) {
  const known = new Map<string, OpenApi>();
  const ask = async (service: string): Promise<OpenApi | undefined> => {
    try {
      const answer = await fetch(`${service.replace(/\/$/, '')}/openapi.json`, {
        signal: AbortSignal.timeout(TIMEOUT),
      });
      const document = (await answer.json()) as OpenApi;
      if (answer.ok && document.paths) known.set(service, document);
    } catch {
      // known from before, or left out
    }
    return known.get(service);
  };
  return async (app: FastifyInstance): Promise<object> => {
    const own = app.swagger() as unknown as OpenApi;
    const others = (await Promise.all(services.map(ask))).filter((document) => document !== undefined);
    const paths = others.flatMap((document) =>
      Object.entries(document.paths).filter(([path]) => SHOWN.test(path)),
    );
    const all = Object.entries({ ...Object.fromEntries(paths), ...own.paths });
    return { ...own, paths: Object.fromEntries(all.map(([path, item]) => [path, withKeys(path, item)])) };
  };
}

const KEY = {
  name: 'Idempotency-Key',
  in: 'header',
  description: 'The call has one effect, however often it is sent with this key within 24 hours.',
  schema: { type: 'string', pattern: '^[\\x21-\\x7e]{1,255}$' },
  example: '8e03978e-40d5-43e8-bc93-6894a57f9324',
};
const {
  description: refused,
  examples,
  ...schema
} = z.toJSONSchema(failures('catalogue', 'duplicate')[409] as z.ZodType);
const CONFLICT = {
  description: `${refused}: the key came with another body, or its call is still under way`,
  content: { 'application/json': { schema, example: examples?.[0] } },
};

/** The operations of a path as the gateway serves them: the key is its affair, so the services do not describe it. */
const withKeys = (path: string, operations: Record<string, Operation>): Record<string, Operation> =>
  Object.fromEntries(
    Object.entries(operations).map(([method, operation]) => {
      const { security, parameters = [], responses } = operation;
      const takesKey = security?.length && MUTATING.has(method.toUpperCase()) && !SECRET.test(path);
      return [
        method,
        takesKey
          ? { ...operation, parameters: [...parameters, KEY], responses: { 409: CONFLICT, ...responses } }
          : operation,
      ];
    }),
  );
