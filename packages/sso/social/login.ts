import { failurePage, prefersJson } from '@gatehouse/shared/http/failure-page';
import { z } from 'zod';
import { beginQuery, freshLogin } from '../login/fresh-login.ts';
import { beginSocialFlow } from './begin-flow.ts';
import { withSocialTexts } from './refusal.ts';
import { loginOperation, socialClient } from './routes.ts';

export const providerName = z.string().meta({ description: 'Names the provider, as SOCIAL_PROVIDERS does' });

/** CONTRACT.md §Social login. */
export const socialLogin = loginOperation('GET /social/{provider}/login', {
  needs: 'nothing',
  config: { errorPage: failurePage },
  summary: 'Begin a login at a provider',
  description:
    'Redirects the browser (303) to the provider, with a cookie that ties the login to this browser. A client that accepts `application/json` and not `text/html` gets the address in JSON.',
  params: z.object({ provider: providerName }),
  query: beginQuery,
  returns: z.object({ redirect_url: z.string() }).meta({
    description: 'Where the person logs in',
    examples: [
      { redirect_url: 'https://accounts.google.com/o/oauth2/v2/auth?client_id=gatehouse&response_type=code' },
    ],
  }),
  fails: ['invalidFormat', 'forbidden', 'notFound', 'rateLimited', 'unavailable'],
  audits: ['login'],
  async handle(call) {
    const { options, request, reply, params, query } = call;
    request.sso.provider = params.provider;
    const redirect_url = await withSocialTexts(async () => {
      const social = socialClient(options, params.provider);
      return beginSocialFlow(call, request, reply, social, freshLogin(query, options.now()));
    });
    return prefersJson(request) ? { redirect_url } : reply.redirect(redirect_url, 303);
  },
});
