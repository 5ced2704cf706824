import { AppError, failures } from '@gatehouse/shared/http/errors';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { SESSION_COOKIE } from './cookie/session-cookie.ts';
import { requestJson } from './request-json.ts';

/** An operation of a service, as `http/docs.ts` documents it. */
interface Operation {
  'x-contract'?: string;
  'x-idempotency-key'?: boolean;
  'x-session-mode'?: boolean;
  security?: object[];
  parameters?: object[];
  responses?: object;
}

interface OpenApi {
  components?: { securitySchemes?: object };
  paths: Record<string, Record<string, Operation>>;
  webhooks?: Record<string, object>;
}

/** Seconds after which a service that is down may be back. */
const RETRY_AFTER = 5;

/**
 * The gateway's OpenAPI document: its own operations and those in the documents of its services. While a service is
 * down its last known document is used; until there is one, the document fails with `unavailable`.
 * @param timeout milliseconds for a service to send its document.
 */
export function documentOf(services: readonly string[], timeout: number) {
  const known = new Map<string, OpenApi>();
  const fetchDocument = async (service: string): Promise<OpenApi> => {
    try {
      const url = `${service.replace(/\/$/, '')}/openapi.json`;
      const document = await requestJson(url, timeout);
      if (!isDescription(document)) throw new Error(`${url} is not an OpenAPI document with paths`);
      known.set(service, document);
      return document;
    } catch (cause) {
      const last = known.get(service);
      if (!last) throw new AppError('unavailable', { retryAfter: RETRY_AFTER, cause });
      return last;
    }
  };
  return async (app: FastifyInstance): Promise<object> => {
    const own = app.swagger() as unknown as OpenApi;
    const documents = await Promise.all(services.map(fetchDocument));
    const forwarded = documents
      .flatMap((document) => Object.entries(document.paths))
      .filter(([, item]) => isForwarded(item));
    const all = Object.entries({ ...Object.fromEntries(forwarded), ...own.paths });
    return {
      ...own,
      components: {
        ...own.components,
        securitySchemes: { ...own.components?.securitySchemes, cookie: COOKIE_SCHEME },
      },
      paths: Object.fromEntries(all.map(([path, item]) => [path, atGateway(item)])),
      webhooks: Object.assign({}, ...documents.map((document) => document.webhooks)),
    };
  };
}

/** Whether clients reach a path through the gateway, which documents the Direct contract itself. */
const isForwarded = (item: Record<string, Operation>): boolean =>
  Object.values(item).some((operation) => ['catalogue', 'scim'].includes(operation['x-contract'] ?? ''));

const description = z.looseObject({
  paths: z
    .record(z.string(), z.record(z.string(), z.looseObject({ 'x-contract': z.string().optional() })))
    .refine((paths) => Object.values(paths).some((item) => isForwarded(item as Record<string, Operation>))),
});
const isDescription = (document: unknown): document is OpenApi => description.safeParse(document).success;

const KEY_PARAMETER = {
  name: 'Idempotency-Key',
  in: 'header',
  description: 'Repeating the call with the same key within 24 hours has no further effect.',
  schema: { type: 'string', pattern: '^[\\x21-\\x7e]{1,255}$' },
  example: '8e03978e-40d5-43e8-bc93-6894a57f9324',
};
const {
  description: refused,
  examples,
  ...schema
} = z.toJSONSchema(failures('catalogue', 'duplicate')[409] as z.ZodType);
const CONFLICT = {
  description: `${refused}: the key was used with a different body, its call is still in progress, or its response was not kept`,
  content: { 'application/json': { schema, example: examples?.[0] } },
};

const COOKIE_SCHEME = {
  type: 'apiKey',
  in: 'cookie',
  name: SESSION_COOKIE,
  description:
    'From a login with `X-Session-Mode: cookie`. Only pages of an allowed origin may use it; others get 403 ORIGIN_NOT_ALLOWED.',
};
const MODE_PARAMETER = {
  name: 'X-Session-Mode',
  in: 'header',
  description:
    'With `cookie`, the token is set as a cookie that scripts cannot read. The answer then lacks the token, and its `token_type`, if it has one, is `Cookie`.',
  schema: { type: 'string', enum: ['cookie'] },
};

/** Adds to the operations of a path what the gateway implements and the services do not document. */
const atGateway = (operations: Record<string, Operation>): Record<string, Operation> =>
  Object.fromEntries(
    Object.entries(operations).map(([method, operation]) => {
      const { security = [], parameters = [], responses } = operation;
      const takesKey = operation['x-idempotency-key'];
      const own = [
        ...(takesKey ? [KEY_PARAMETER] : []),
        ...(operation['x-session-mode'] ? [MODE_PARAMETER] : []),
      ];
      const isBearer = security.some((scheme) => 'bearer' in scheme);
      const added = {
        ...(isBearer && { security: [...security, { cookie: [] }] }),
        ...(own.length > 0 && { parameters: [...parameters, ...own] }),
        ...(takesKey && { responses: { 409: CONFLICT, ...responses } }),
      };
      return [method, { ...operation, ...added }];
    }),
  );
