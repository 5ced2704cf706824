import type { FastifyContextConfig, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import type { KeyPermission } from '../access/key-permissions.ts';
import type { Collections } from '../data/connect.ts';
import type { ErrorName } from '../http/errors.ts';
import type { auditCollections, Details } from '../identity/audit.ts';
import type { AuditAction } from '../identity/audit-actions.ts';
import type { SupportAccess } from '../identity/support-sessions.ts';
import { grantsRoles, isBearer, isForOperators, type Requirement } from './requirement.ts';
import type { Message, OutputOf, Returns } from './responses.ts';

/**
 * An operation is one value: method and path, who may call it, its schemas, its documentation, its failures and its
 * handler. `add-operations.ts` derives everything else and adds it to a server.
 */

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** Method and path, such as `DELETE /api/v1/chatbots/{chatbot_id}`. */
export type RouteLine = `${Method} /${string}`;

type ParamsOf<Line extends string> = Line extends `${string}{${infer Name}}${infer Rest}`
  ? { [Each in Name]: string } & ParamsOf<Rest>
  : unknown;

/** The declaration of an operation, without its handler. */
export interface Declaration<
  Body extends z.ZodType = z.ZodType,
  Query extends z.ZodType = z.ZodType,
  Answer extends Returns = Returns,
  Audited extends AuditAction = AuditAction,
> {
  /** Who may call it. */
  needs: Requirement;
  /** Whether the caller must have logged in or confirmed within the last ten minutes. Their account must have a user_id. */
  fresh?: true;
  /**
   * Whether support sessions may make a call: `refused` to all of them, or `allowed` also to a read-only one. By default a
   * read-only one may read and a full one may write, except for what follows from the declaration (`supportAccess`).
   */
  supportSession?: 'refused' | 'allowed';
  /**
   * The permission with which machine keys may call it, where it does not follow from the requirement
   * (access/by-key.ts); true for an operators' operation that keys may call, reading with `view admin` or `admin`.
   */
  byKey?: KeyPermission | true;
  /** Whether callers may do this to themselves without the permission. */
  orOneself?: boolean;
  /** Whether a call that writes is allowed in an archived organization or department: always, or to callers about themselves. */
  whileArchived?: true | 'oneself';
  summary: string;
  description: string;
  /** Replaces the strings that the path names. */
  params?: z.ZodObject;
  query?: Query;
  headers?: z.ZodObject;
  body?: Body;
  /** Media types of the body, if not JSON. */
  consumes?: readonly string[];
  /** Whether the handler checks the body while it streams: its schema is only documentation. */
  streamsBody?: true;
  /** Media types of the answer, if not JSON. */
  produces?: readonly string[];
  /** Whether the answer may be CSV instead of JSON. */
  orCsv?: true;
  /** Bytes of the largest body. */
  bodyLimit?: number;
  /** The answer: a schema for 200, or a schema for each status. Stored documents are projected to it: no other field is sent. */
  returns: Answer;
  /** The failures besides those that follow from the requirement, the parameters and the body. */
  fails?: readonly ErrorName[];
  /** Responses of a protocol that prescribes its own errors, in place of the failures that are derived. */
  responses?: Readonly<Record<number, z.ZodType>>;
  /** The audit actions of a call. */
  audits?: readonly Audited[];
  /** Whether the gateway passes an Idempotency-Key by, also without a secret in the answer. */
  ignoresIdempotencyKey?: true;
  /** Whether a call ends sessions of the caller. The gateway waits for it, and then forgets what it knows of them. */
  endsSessions?: true;
  /** Whether a call costs no budget and passes when the budget is spent. */
  passesBudget?: true;
  /**
   * Whether the answer holds a token or secret: nothing stores it, neither a cache nor an Idempotency-Key. `session` is the
   * token of the caller's session, which the gateway can put into a cookie.
   */
  returnsSecret?: true | 'session';
  /** Whether the OpenAPI document leaves it out. */
  hidden?: true;
  /** What the server's hooks read besides. */
  config?: FastifyContextConfig;
}

/** What the handler gets: the dependencies of its service, and the call. */
export type Call<
  Deps = object,
  Line extends string = string,
  Body = unknown,
  Query = unknown,
  Audited extends AuditAction = AuditAction,
> = Deps & {
  params: ParamsOf<Line>;
  query: Query;
  body: Body;
  /** The caller's user_id. @throws {AppError} forbidden for an account without one. */
  readonly caller: string;
  request: FastifyRequest;
  reply: FastifyReply;
  /** Records an action, in the organization and department that the path names. Call it after the action's own write. */
  audit(action: Audited, details?: Omit<Details, 'action'>): Promise<void>;
};

/** What every service has. */
export interface CommonDependencies {
  db: Collections<typeof auditCollections>;
  /** Returns Unix milliseconds. */
  now: () => number;
}

/** Plugins for the scope of the operations that name the same function, such as a parser of their bodies. */
export type Scope<Deps> = (scope: FastifyInstance, dependencies: Deps) => PromiseLike<unknown>;

/** A declaration with what follows from it. */
export interface Facts extends Declaration {
  method: Method;
  /** With parameters in braces, as in OpenAPI. */
  path: string;
  contract: OperationContract;
  /** Whether the gateway takes an Idempotency-Key for it. */
  takesIdempotencyKey: boolean;
  /** Which support sessions may call it. */
  allowsSupport: SupportAccess;
}

/** The contract of each part of the paths; everything else is the catalogue's. */
const CONTRACTS = { '/v2/': 'direct', '/scim/': 'scim', '/internal/': 'internal' } as const;

export type OperationContract = (typeof CONTRACTS)[keyof typeof CONTRACTS] | 'catalogue';

function contractOf(path: string): OperationContract {
  const [, contract] = Object.entries(CONTRACTS).find(([part]) => path.startsWith(part)) ?? [];
  return contract ?? 'catalogue';
}

/**
 * Only the person themselves proves who they are, gets credentials, ends their sessions, and gives roles to others: an
 * operator gains no role by a support session.
 */
function supportAccess(method: Method, declaration: Declaration): SupportAccess {
  const { needs, fresh, returnsSecret, endsSessions, supportSession } = declaration;
  if (supportSession === 'allowed') return 'read';
  if (supportSession === 'refused' || fresh || isForOperators(needs)) return 'none';
  if (isBearer(needs) && (returnsSecret || endsSessions || grantsRoles(needs))) return 'none';
  return method === 'GET' ? 'read' : 'full';
}

function factsOf<D extends Declaration>(line: RouteLine, declaration: D) {
  const [method, path] = line.split(' ') as [Method, string];
  const { needs, returnsSecret, ignoresIdempotencyKey } = declaration;
  const takesIdempotencyKey = isBearer(needs) && method !== 'GET' && !returnsSecret && !ignoresIdempotencyKey;
  const allowsSupport = supportAccess(method, declaration);
  return { ...declaration, method, path, contract: contractOf(path), takesIdempotencyKey, allowsSupport };
}

/** Declares an operation that the gateway knows as well as the service that serves it. */
export const contract = <
  const Line extends RouteLine,
  Answer extends Returns,
  Body extends z.ZodType = z.ZodUndefined,
  Query extends z.ZodType = z.ZodUndefined,
  const Audited extends AuditAction = never,
>(
  line: Line,
  declaration: Declaration<Body, Query, Answer, Audited> &
    (Body extends z.ZodUndefined ? unknown : { body: Body }),
) => ({ line, ...factsOf(line, declaration) });

export interface Operation<Deps = never> extends Facts {
  scope?: Scope<Deps> | undefined;
  /** Answers one call; nothing for the one answer that the declaration fixes. */
  handle(call: Call<Deps>): Promise<unknown>;
}

/** Returns the function with which the operations of a service, or of one of its rooms, are declared. */
export const operationsOf =
  <Deps extends CommonDependencies>(scope?: Scope<Deps>) =>
  <
    const Line extends RouteLine,
    Answer extends Returns,
    Body extends z.ZodType = z.ZodUndefined,
    Query extends z.ZodType = z.ZodUndefined,
    const Audited extends AuditAction = never,
  >(
    line: Line,
    declaration: Declaration<Body, Query, Answer, Audited> & {
      handle(
        call: Call<Deps, Line, z.output<Body>, z.output<Query>, Audited>,
      ): Answer extends Message ? Promise<void> : Promise<OutputOf<Answer> | FastifyReply>;
    },
  ): Operation<Deps> => ({ ...factsOf(line, declaration), scope });
