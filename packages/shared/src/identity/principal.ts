import type { FastifyInstance, FastifyRequest, RouteOptions } from 'fastify';
import fp from 'fastify-plugin';
import type { WithId } from 'mongodb';
import { bounded } from '../data/bounded.ts';
import type { Collections } from '../data/connect.ts';
import { AppError } from '../http/errors.ts';
import { contractOfRequest } from '../http/response-headers.ts';
import type { Principal } from './caller.ts';
import { emailKey } from './email.ts';
import { factorMethods, isEnrolled } from './enrolled.ts';
import { admitKey } from './machine-keys/admit.ts';
import { createAuthenticateKey, type KeyDatabase } from './machine-keys/authenticate.ts';
import { KEY_PREFIX } from './machine-keys/format.ts';
import type { operatorCollections } from './operators.ts';
import { hasEnded, sessionOf } from './sessions.ts';
import { mayStillSupport, refuseInSupportSession, type SupportAccess } from './support-sessions.ts';
import type { Tokens } from './tokens.ts';
import type { User } from './user-record.ts';
import { findUserByEmail, isActive, userIdOf, userReader } from './users.ts';
import { hasPasskey, hasPassword } from './ways-in.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether the route needs no bearer. */
    public?: boolean;
    /** Which support sessions may call a route; see `supportOn`. An operation says so itself. */
    allowsSupport?: SupportAccess;
  }
}

/** Milliseconds for which a session is fresh after the person logged in or confirmed. */
export const FRESH = 10 * 60_000;

/** Returns the token of an `Authorization` header. The prefix is optional (CONTRACT.md §Bearer). */
export const withoutScheme = (authorization: string): string => authorization.replace(/^Bearer /i, '');

/** What the bearer check reads. */
export type BearerCollections = KeyDatabase & Collections<typeof operatorCollections>;

/**
 * Checks an `Authorization` header (CONTRACT.md §Bearer) with one database query; that of a support session
 * or a machine key with three.
 * @param now Unix milliseconds.
 * @throws {AppError} noAuthorizationHeader, tokenExpired or invalidToken; unavailable if the database does not answer.
 */
export function createAuthenticate(db: BearerCollections, tokens: Tokens) {
  const { users, operators } = db;
  const authenticateKey = createAuthenticateKey(db);
  const readUser = userReader(users);
  const check = async (authorization: string | undefined, now: number): Promise<Principal> => {
    if (!authorization) throw new AppError('noAuthorizationHeader');
    const token = withoutScheme(authorization);
    if (token.startsWith(KEY_PREFIX)) return authenticateKey(token, now);
    const verified = tokens.verify(token, now);
    if (!verified.ok) throw new AppError(verified.reason === 'expired' ? 'tokenExpired' : 'invalidToken');

    const { email, user_id } = verified.claims;
    const user = user_id === null ? await findUserByEmail(users, email) : await readUser(user_id);
    const { sso, mfa, support } = verified;
    const session = {
      ...sessionOf(token, verified.sid, verified.claims),
      ...(sso && { sso }),
      ...(mfa && { mfa }),
      ...(support && { support }),
    };
    // A deleted account's token must not open the account that gets its user_id.
    if (user && emailKey(user.email) !== emailKey(email)) throw new AppError('invalidToken');
    if (!user || !isActive(user) || hasEnded(user, session)) throw new AppError('invalidToken');
    if (support && !(await mayStillSupport(operators, readUser, { user, session, support })))
      throw new AppError('invalidToken');
    // No login of ours issues a token without a sid, so its holder has never confirmed. Neither has an operator.
    const confirmedAt = verified.confirmedAt ?? (session.hasId && !support ? session.beganAt : 0);
    return { user, session, confirmedAt, checkedAt: now, expiresAt: verified.claims.exp * 1000 };
  };
  // Every call of the gateway waits for this check, and calls with the same bearer share it.
  return (authorization: string | undefined, now: number) => bounded(check(authorization, now));
}

/**
 * Requires a principal for every route that is not `public`. 401 comes before 404. The server does not start
 * if a route is neither an operation nor public.
 */
export const requirePrincipal = fp(
  async (
    app: FastifyInstance,
    { db, tokens, now }: { db: BearerCollections; tokens: Tokens; now: () => number },
  ) => {
    app.decorateRequest('principal', undefined);
    const authenticate = createAuthenticate(db, tokens);
    const routes: RouteOptions[] = [];
    app.addHook('onRoute', (route) => void routes.push(route));
    // Every scope has registered its routes by now.
    app.addHook('onReady', async () => {
      for (const { method, url, config } of routes) {
        if (config?.public || config?.operation || method === 'OPTIONS') continue;
        throw new Error(`${method} ${url} is neither an operation nor public`);
      }
    });
    app.addHook('onRequest', async (request) => {
      if (isPublic(request)) return;
      const principal = await authenticate(request.headers.authorization, now());
      refuseInSupportSession(request, principal);
      if (principal.key) await admitKey(db.machineKeys, request, principal, now());
      request.principal = principal;
    });
  },
);

/** Returns whether a request needs no bearer. Where no route is, the Direct contract answers 404 and the other 401. */
export const isPublic = (request: FastifyRequest): boolean =>
  request.routeOptions.config?.public === true ||
  request.method === 'OPTIONS' ||
  (request.is404 && contractOfRequest(request) === 'direct');

/** Returns the principal of a request to a route that is not public. */
export function principalOf(request: FastifyRequest): Principal {
  if (!request.principal) throw new AppError('noAuthorizationHeader');
  return request.principal;
}

/**
 * Refuses a call whose caller has neither logged in nor confirmed within the last ten minutes (CONTRACT.md §Fresh
 * sessions).
 * @param now Unix milliseconds.
 * @throws {AppError} forbidden for a key; confirmationRequired, with the ways in which this caller can confirm.
 */
export function requireFresh(request: FastifyRequest, now: number): void {
  const { user, session, confirmedAt, key } = principalOf(request);
  if (key) throw new AppError('forbidden', { text: 'A key cannot make this call' });
  const factor = isEnrolled(user, now) ? user.second_factor : undefined;
  // Once there is a second factor, neither a login from before its enrollment counts, nor one at a provider, which is
  // not known to have asked for it.
  const isProven =
    !factor ||
    (confirmedAt >= factor.enrolled_at.getTime() && !(session.sso && confirmedAt === session.beganAt));
  if (isProven && now - confirmedAt <= FRESH) return;
  throw new AppError('confirmationRequired', { details: { methods: confirmationMethods(request, now) } });
}

/** How this caller can confirm (CONTRACT.md §Fresh sessions). `login` means to log in again. */
function confirmationMethods(request: FastifyRequest, now: number): string[] {
  const { user, session } = principalOf(request);
  if (isEnrolled(user, now)) return strongMethods(user, now);
  return [session.sso || !hasPassword(user) ? 'login' : 'password', ...strongMethods(user, now)];
}

/** The second factors and passkeys with which a person can confirm. */
const strongMethods = (user: Readonly<WithId<User>>, now: number): string[] => [
  ...(isEnrolled(user, now) ? factorMethods(user.second_factor) : []),
  ...(hasPasskey(user) ? ['passkey'] : []),
];

/**
 * Refuses a session in which the caller has presented neither a second factor nor a passkey.
 * @param now Unix milliseconds.
 * @throws {AppError} operatorFactorRequired, with the ways in which this caller can confirm.
 */
export function requireFactor(request: FastifyRequest, now: number): void {
  const { user, session } = principalOf(request);
  if (session.mfa) return;
  throw new AppError('operatorFactorRequired', { details: { methods: strongMethods(user, now) } });
}

/** Returns the user_id of the caller. @throws {AppError} forbidden for an account without one. */
export function callerId(request: FastifyRequest): string {
  const user_id = userIdOf(principalOf(request).user);
  if (user_id === null) throw new AppError('forbidden');
  return user_id;
}
