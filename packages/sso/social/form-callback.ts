import { failurePage, prefersJson } from '@gatehouse/shared/http/failure-page';
import { z } from 'zod';
import { answerParameters } from './callback.ts';
import { providerName } from './login.ts';
import { withSocialTexts } from './refusal.ts';
import { loginFormOperation, socialClient } from './routes.ts';

const form = answerParameters.extend({
  user: z
    .string()
    .max(4_096)
    .optional()
    .catch(undefined)
    .meta({
      description: 'JSON with the name of the person, which Apple sends only at the first login',
      examples: ['{"name":{"firstName":"Ada","lastName":"Lovelace"}}'],
    }),
});

/**
 * CONTRACT.md §Social login. Browsers send no SameSite=Lax cookie with a form from another site, so the redirect that
 * follows reads the answer.
 */
export const socialFormCallback = loginFormOperation('POST /social/{provider}/callback', {
  needs: 'nothing',
  config: { errorPage: failurePage },
  consumes: ['application/x-www-form-urlencoded'],
  summary: 'Receive the answer of a provider that posts it',
  description:
    'Redirects the browser (303) to the same address, which receives the answer as a query. A client that accepts `application/json` and not `text/html` gets the address in JSON.',
  params: z.object({ provider: providerName }),
  body: form,
  returns: z.object({ redirect_url: z.string() }).meta({
    description: 'GET /social/{provider}/callback with the answer',
    examples: [{ redirect_url: '/social/apple/callback?state=3q2-7wEBAQ0ZTmV2&code=c6a1f0e4' }],
  }),
  fails: ['invalidFormat', 'notFound', 'rateLimited', 'unavailable'],
  audits: ['login'],
  async handle({ options, request, reply, params: { provider }, body: { user, ...answer } }) {
    request.sso.provider = provider;
    await withSocialTexts(async () => void socialClient(options, provider));
    const name = user === undefined ? undefined : nameIn(user);
    // Unsigned, so only a proposal for the name of a new account. Stored in the flow, because URLs are logged.
    if (answer.state !== undefined && name !== undefined)
      await options.db.socialFlows.updateOne({ state: answer.state, provider }, { $set: { name } });
    const query = new URLSearchParams(
      Object.entries(answer).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
    );
    reply.header('cache-control', 'no-store');
    const redirect_url = `/social/${provider}/callback?${query}`;
    return prefersJson(request) ? { redirect_url } : reply.redirect(redirect_url, 303);
  },
});

function nameIn(user: string): string | undefined {
  try {
    const { firstName, lastName } = JSON.parse(user).name;
    return [firstName, lastName].filter((each) => typeof each === 'string').join(' ') || undefined;
  } catch {
    return undefined;
  }
}
