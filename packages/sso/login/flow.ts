import { randomBytes } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Connection } from '../connection-records.ts';
import type { SsoOptions } from '../dependencies.ts';
import { digest } from '../digest.ts';
import type { LoginFlow } from '../records.ts';
import { SsoRefusal } from '../refusal.ts';

/** Seconds that a person has to log in at their provider. */
export const FLOW_LIFETIME = 600;

/** 256 random bits for addresses, forms and cookies. */
export const randomToken = (): string => randomBytes(32).toString('base64url');

/** The `__Host-` prefix keeps other hosts of the domain from setting the cookie; it needs HTTPS (RFC 6265bis §4.1.3.2). */
const cookieName = (isHttps: boolean) => (isHttps ? '__Host-gatehouse-sso' : 'gatehouse-sso');

/**
 * Returns the digest of the random value that identifies this browser, in a cookie that scripts cannot read. A browser
 * keeps its value: logins in two tabs do not disturb each other. The cookie is no session: it only ties the end of a
 * login to the browser that began it.
 */
export function markBrowser(
  { config }: Pick<SsoOptions, 'config'>,
  request: FastifyRequest,
  reply: FastifyReply,
): string {
  const isHttps = config.PUBLIC_URL.startsWith('https:');
  const value = browserCookie(config, request) ?? randomToken();
  const attributes = `Path=/; HttpOnly; SameSite=Lax; Max-Age=${FLOW_LIFETIME + 60}${isHttps ? '; Secure' : ''}`;
  reply.header('set-cookie', `${cookieName(isHttps)}=${value}; ${attributes}`);
  return digest(value);
}

/** Returns the digest of the browser's cookie; undefined without one. */
export function browserOf(
  { config }: Pick<SsoOptions, 'config'>,
  request: FastifyRequest,
): string | undefined {
  const value = browserCookie(config, request);
  return value && digest(value);
}

function browserCookie(
  { PUBLIC_URL }: { PUBLIC_URL: string },
  { headers }: FastifyRequest,
): string | undefined {
  const name = cookieName(PUBLIC_URL.startsWith('https:'));
  const values = (headers.cookie ?? '').split(/;\s*/).filter((pair) => pair.startsWith(`${name}=`));
  const value = values[0]?.slice(name.length + 1);
  // Two cookies of the name: one of them is not ours.
  return values.length === 1 && value && /^[\w-]{43}$/.test(value) ? value : undefined;
}

/** Stores a login that begins in this browser. @returns its state. */
export async function beginFlow(
  options: Pick<SsoOptions, 'config' | 'db' | 'now'>,
  request: FastifyRequest,
  reply: FastifyReply,
  { connection_id }: Connection,
  secrets: Pick<
    LoginFlow,
    'request_id' | 'nonce' | 'code_verifier' | 'authenticated_after' | 'offline_access'
  >,
): Promise<string> {
  const state = randomToken();
  const browser = markBrowser(options, request, reply);
  const expires_at = new Date(options.now() + FLOW_LIFETIME * 1000);
  await options.db.ssoFlows.insertOne({ state, connection_id, browser, ...secrets, expires_at });
  return state;
}

/**
 * Takes the flow of a state: it serves one answer.
 * @throws {SsoRefusal} login not begun here, when it is unknown, used or expired.
 */
export async function takeFlow(
  { db, now }: Pick<SsoOptions, 'db' | 'now'>,
  state: string,
): Promise<LoginFlow> {
  const flow = await db.ssoFlows.findOneAndDelete({ state, expires_at: { $gt: new Date(now()) } });
  if (!flow) throw new SsoRefusal('login not begun here', 'the state is unknown, used or expired');
  return flow;
}
