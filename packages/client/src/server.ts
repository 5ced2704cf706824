import { createCalls } from './calls.ts';
import { type Failure, GatehouseError } from './failure.ts';
import { PERMISSIONS } from './permissions.ts';
import { readFailure } from './read-failure.ts';
import type { paths } from './schema.ts';
import { type AnyRequest, bearerOf } from './server/bearer.ts';
import { remember } from './server/remember.ts';
import { verifyToken } from './server/verify-token.ts';

export { type Failure, type FailureReason, GatehouseError } from './failure.ts';
export { type GatehouseEvent, verifyWebhook } from './server/webhook.ts';

export interface ServerOptions {
  /** The gateway, such as `https://accounts.example.com`. */
  url: string;
  /**
   * `JWT_SECRET`, and during a rotation the previous one too. Then a session costs no call, but one that was ended is
   * accepted until its token expires: an hour at most.
   */
  secret?: string | readonly string[];
  /** The origins of your pages, if sessions are in cookies. */
  cookieOrigins?: readonly string[];
  /** Milliseconds for which an answer of the gateway is used again; by default 1,000. */
  remembered?: number;
  fetch?: typeof globalThis.fetch;
  /** Unix milliseconds; tests set their own clock. */
  now?: () => number;
}

type Answer<P extends keyof paths> = paths[P] extends {
  get: { responses: { 200: { content: { 'application/json': infer A } } } };
}
  ? A
  : never;
export type Profile = Answer<'/api/v1/users/me'>;
export type Roles = Answer<'/api/v1/users/me/roles'>;

/** The person who makes a request. */
export interface PersonSession {
  userId: string | null;
  email: string;
  token: string;
  /** Read at the gateway. */
  profile(): Promise<Profile>;
  roles(): Promise<Roles>;
}

/** What a person needs. Everything that is named must hold. */
export interface Requirement {
  /** One of these plans. */
  plan?: string | readonly string[];
  /** By their role in the department. */
  permission?: keyof typeof PERMISSIONS;
  departmentId?: string;
}

/** Finds out who makes the requests that a server gets. */
export function createServerGatehouse({
  url,
  secret,
  cookieOrigins = [],
  remembered = 1000,
  fetch,
  now = Date.now,
}: ServerOptions) {
  const calls = createCalls({ url, readFailure, retries: 0, ...(fetch && { fetch }) });
  const read = <P extends '/api/v1/users/me' | '/api/v1/users/me/roles'>(path: P) =>
    remember((bearer) => calls.json<Answer<P>>(path, { bearer }), remembered, now);
  const profileOf = read('/api/v1/users/me');
  const rolesOf = read('/api/v1/users/me/roles');
  const secrets = secret === undefined ? undefined : [secret].flat();

  async function claimsOf(token: string): Promise<{ userId: string | null; email: string } | undefined> {
    if (secrets) return verifyToken(token, secrets, now());
    const profile = await profileOf(token).catch((failure: Failure) => {
      if (failure.status === 401) return undefined;
      throw failure;
    });
    return profile && { userId: profile.user_id, email: profile.email };
  }

  /**
   * Returns the session of a request; undefined without a valid one. Machine keys and support sessions are none: their
   * bearer is not the person. @throws {GatehouseError} if the gateway cannot say.
   */
  async function session(request: AnyRequest): Promise<PersonSession | undefined> {
    const token = bearerOf(request, cookieOrigins);
    if (token === undefined || !isPersons(token)) return undefined;
    const claims = await claimsOf(token);
    return claims && { ...claims, token, profile: () => profileOf(token), roles: () => rolesOf(token) };
  }

  return {
    session,
    /** Returns the session of a request. @throws {GatehouseError} `invalidToken` or, if the person lacks something, `forbidden`. */
    async require(request: AnyRequest, requirement: Requirement = {}): Promise<PersonSession> {
      const person = await session(request);
      if (!person)
        throw new GatehouseError('invalidToken', 'Please sign in', { status: 401, code: 'INVALID_TOKEN' });
      const lacking = await lacks(person, requirement);
      if (lacking) throw new GatehouseError('forbidden', lacking, { status: 403, code: 'FORBIDDEN' });
      return person;
    },
  };
}

/** Returns what a person lacks, in words. */
async function lacks(
  person: PersonSession,
  { plan, permission, departmentId }: Requirement,
): Promise<string | undefined> {
  const plans = plan === undefined ? undefined : [plan].flat();
  if (plans && !plans.includes((await person.profile()).subscription_plan ?? ''))
    return `This needs the plan ${plans.join(' or ')}`;
  if (permission === undefined) return undefined;
  const places = (await person.roles()).organizations
    .filter(isOpen)
    .flatMap(({ departments }) => departments);
  const role = places.filter(isOpen).find((place) => place.department_id === departmentId)?.role;
  const isAllowed = (PERMISSIONS[permission] as readonly string[]).includes(role ?? '');
  return isAllowed ? undefined : `This needs the permission "${permission}"`;
}

/** An archived place is closed to whatever needs a permission. */
const isOpen = (place: { archived_at?: unknown }): boolean => !place.archived_at;

/** Whether a token can be that of a person's own session. */
function isPersons(token: string): boolean {
  try {
    const [header = ''] = token.split('.');
    return !('crit' in JSON.parse(atob(header.replaceAll('-', '+').replaceAll('_', '/'))));
  } catch {
    return false;
  }
}

/** Returns the answer to a refused request, for servers that answer with a web `Response`. */
export function refusal(error: unknown): Response {
  if (!(error instanceof GatehouseError)) throw error;
  const status = error.status || 503;
  const code = error.code || 'SERVICE_UNAVAILABLE';
  return Response.json({ error: { code, message: error.message } }, { status });
}
