import { CODE_LIFETIME } from '@gatehouse/shared/contract/sso-exchange';
import { prefersJson } from '@gatehouse/shared/http/failure-page';
import { audit, auditedSession } from '@gatehouse/shared/identity/audit';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Connection } from '../connection-records.ts';
import type { SsoOptions } from '../dependencies.ts';
import { digest } from '../digest.ts';
import type { Profile } from '../profile.ts';
import type { LoginFlow } from '../records.ts';
import { SsoRefusal } from '../refusal.ts';
import { type BeginningSession, beginSession } from './begin-session.ts';
import { markBrowser, randomToken } from './flow.ts';

type ProviderWord = Pick<BeginningSession, 'provider_sid' | 'valid_until' | 'refreshToken'>;

/**
 * Ends a browser login whose message has passed every check: provisions the account and sends the browser to the
 * account page with a one-time code. The code is in the fragment, which no server sees.
 * @param login.flow absent for a login that began at the provider.
 * @param login.session what the provider says about the session.
 */
export async function finishBrowserLogin(
  options: Pick<SsoOptions, 'config' | 'db' | 'host' | 'tokens' | 'now'>,
  request: FastifyRequest,
  reply: FastifyReply,
  connection: Connection,
  { flow, profile, session = {} }: { flow?: LoginFlow; profile: Profile; session?: ProviderWord },
) {
  const { config, db, host, tokens, now } = options;
  const { connection_id, organization_id } = connection;
  if (flow && flow.connection_id !== connection_id)
    throw new SsoRefusal('login not begun here', 'the login began at another connection');
  const beganAt = now();
  const user = await host.provision(request, connection, profile);
  const { subject } = profile;
  const code = randomToken();
  const login_code = {
    digest: digest(code),
    browser: flow?.browser ?? markBrowser(options, request, reply),
    expires_at: new Date(now() + CODE_LIFETIME * 1000),
  };
  const sid = await beginSession(options, connection, user, {
    ...session,
    beganAt,
    subject,
    login_code,
  });
  await audit(db, request, now(), {
    action: 'sso.login',
    user_id: user.user_id,
    email: user.email,
    organization_id,
    target: { connection_id },
    // The token is issued when the code is exchanged.
    session: auditedSession(request, sid, CODE_LIFETIME + tokens.lifetime.catalogue, now()),
  });
  reply.header('cache-control', 'no-store');
  if (prefersJson(request)) return reply.send({ code, expires_in: CODE_LIFETIME });
  return reply.redirect(`${config.PUBLIC_URL}/sso#code=${code}`, 303);
}
