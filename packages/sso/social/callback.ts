import { CODE_LIFETIME } from '@gatehouse/shared/contract/sso-exchange';
import { failurePage, prefersJson } from '@gatehouse/shared/http/failure-page';
import type { Call } from '@gatehouse/shared/operation/operation';
import { withTimeout } from '@gatehouse/shared/with-timeout';
import { z } from 'zod';
import { digest } from '../digest.ts';
import type { SocialPerson } from '../host.ts';
import { browserOf, randomToken } from '../login/flow.ts';
import type { SocialFlow } from '../records.ts';
import { SsoRefusal } from '../refusal.ts';
import { identifyAtGitHub } from './github.ts';
import { providerName } from './login.ts';
import { identifyByOpenId } from './openid.ts';
import { withSocialTexts } from './refusal.ts';
import { callbackUrl, loginOperation, type SocialRoutes, socialClient } from './routes.ts';

/** A repeated parameter, which no provider sends, is treated as missing. */
const once = (description: string) => z.string().optional().catch(undefined).meta({ description });

export const answerParameters = z.object({
  state: once('Names the login'),
  code: once('The authorization code'),
  iss: once('The issuer of the answer (RFC 9207)'),
  error: once('Why the provider refused'),
});

declare module 'fastify' {
  interface FastifyRequest {
    /** Whether the flow links a provider to an account; otherwise it is a login. */
    isLinking?: boolean;
  }
}

/** CONTRACT.md §Social login. */
export const socialCallback = loginOperation('GET /social/{provider}/callback', {
  needs: 'nothing',
  config: {
    errorPage: (failure, request) => failurePage(failure, request, request.isLinking ? 'link' : 'login'),
  },
  summary: 'Receive the answer of a provider',
  description:
    'Where the provider sends the browser back. A login ends with a redirect (303) to the account page with a one-time code in the fragment; a link ends with a redirect to the profile. A client that accepts `application/json` and not `text/html` gets JSON.',
  params: z.object({ provider: providerName }),
  query: answerParameters,
  returns: z
    .union([z.object({ code: z.string(), expires_in: z.int() }), z.object({ linked: z.string() })])
    .meta({
      description:
        'A one-time code for /api/v1/auth/sso/exchange, or the name of the provider that is linked now',
      examples: [
        { code: 'lVJxtmHNVbAXj3TjbFFJ0VmcrxTUBfuVVZTa8UkUgHU', expires_in: CODE_LIFETIME },
        { linked: 'google' },
      ],
    }),
  fails: ['invalidFormat', 'forbidden', 'ssoRequired', 'notFound', 'duplicate', 'rateLimited', 'unavailable'],
  audits: ['login', 'link.add', 'invitation.accept'],
  handle: (call) => withSocialTexts(() => finish(call)),
});

type CallbackCall = Call<SocialRoutes, string, unknown, z.infer<typeof answerParameters>> & {
  params: { provider: string };
};

async function finish(call: CallbackCall) {
  const { options, request, reply, params } = call;
  const { config, social: host, now } = options;
  request.sso.provider = params.provider;
  const flow = await takeFlow(call);
  const { linking } = flow;
  request.isLinking = linking !== undefined;
  // Otherwise an attacker's page could log visitors in to the attacker's account (login CSRF), or link it to theirs.
  if (browserOf(options, request) !== flow.browser)
    throw new SsoRefusal('login not begun here', 'the browser is not the one that began the login');
  const began = now();
  const person = await withTimeout(
    identify(call, flow),
    options.loginTimeout,
    new SsoRefusal('provider unavailable', 'the calls of the login took too long'),
  );
  if (person.email !== undefined) request.sso.email = person.email;
  reply.header('cache-control', 'no-store');
  if (linking) {
    await host.link(request, person, linking);
    const linked = params.provider;
    return prefersJson(request)
      ? reply.send({ linked })
      : reply.redirect(`${config.PUBLIC_URL}/profile#linked=${linked}`, 303);
  }
  const code = await issueCode(call, flow, { began, ...(await host.logIn(request, person)) });
  return prefersJson(request)
    ? reply.send({ code, expires_in: CODE_LIFETIME })
    : reply.redirect(`${config.PUBLIC_URL}/sso#code=${code}`, 303);
}

/** Takes the flow that an answer belongs to, once. The flow of another provider is not found. */
async function takeFlow({
  options: { db, now },
  params: { provider },
  query,
}: CallbackCall): Promise<SocialFlow> {
  const { state } = query;
  if (!state) throw new SsoRefusal('login not begun here', 'the answer has no single state');
  const flow = await db.socialFlows.findOneAndDelete({
    state,
    provider,
    expires_at: { $gt: new Date(now()) },
  });
  if (!flow)
    throw new SsoRefusal('login not begun here', 'the state is unknown, used, expired or another provider’s');
  return flow;
}

function identify(call: CallbackCall, flow: SocialFlow): Promise<SocialPerson> {
  const { options, request, params } = call;
  const social = socialClient(options, params.provider);
  const answer = callbackUrl(options, social);
  answer.search = new URL(request.url, 'http://localhost').search;
  return social.kind === 'github'
    ? identifyAtGitHub(options, social, flow, answer)
    : identifyByOpenId(call, social, flow, answer);
}

/** Stores the code of a finished login. The session begins when it is exchanged, if every check then holds. */
async function issueCode(
  { options: { db, now } }: CallbackCall,
  { provider, browser }: SocialFlow,
  { user, link, began }: Awaited<ReturnType<SocialRoutes['options']['social']['logIn']>> & { began: number },
): Promise<string> {
  const code = randomToken();
  const { user_id, sessions_valid_from } = user;
  await db.socialCodes.insertOne({
    digest: digest(code),
    browser,
    provider,
    user_id,
    link,
    // Taking an unverified signup over ends its sessions, not this one.
    began: Math.max(began, (sessions_valid_from?.getTime() ?? 0) + 1),
    expires_at: new Date(now() + CODE_LIFETIME * 1000),
  });
  return code;
}
