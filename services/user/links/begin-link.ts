import { accountBudget, spendAll } from '@gatehouse/shared/data/sliding-budget';
import { AppError } from '@gatehouse/shared/http/errors';
import { jsonBody, requiredText } from '@gatehouse/shared/http/fields';
import { principalOf } from '@gatehouse/shared/identity/principal';
import { requiresSso } from '@gatehouse/shared/identity/sso';
import { beginSocialFlow } from '@gatehouse/sso/social-flow';
import { z } from 'zod';
import { operation } from './operation.ts';

/** Links that an account begins within an hour. */
const PER_HOUR = 20;

/** CONTRACT.md §Linking. */
export const beginLink = operation('POST /api/v1/users/me/links', {
  needs: 'own',
  fresh: true,
  returnsSecret: true,
  summary: 'Begin to link an account at a provider',
  description:
    'Returns the address at the provider to which the browser goes. The response sets a cookie: only this browser can complete the link, within ten minutes and while the session lasts. It ends at the profile. Twenty links begun in an hour lead to 429.',
  body: jsonBody({
    provider: requiredText.meta({ description: 'Names the provider, as SOCIAL_PROVIDERS does' }),
  }).meta({ examples: [{ provider: 'google' }] }),
  returns: z.object({ redirect_url: z.string() }).meta({
    description: 'Where the person logs in',
    examples: [
      { redirect_url: 'https://accounts.google.com/o/oauth2/v2/auth?client_id=gatehouse&response_type=code' },
    ],
  }),
  fails: ['ssoRequired', 'notFound', 'rateLimited', 'unavailable'],
  async handle({ config, db, now, social, request, reply, caller: user_id, body }) {
    const { user, session } = principalOf(request);
    const client = config.SOCIAL.find(({ name }) => name === body.provider);
    if (!client) throw new AppError('notFound');
    if (await requiresSso(db, user, now())) throw new AppError('ssoRequired');
    await spendAll(db, [accountBudget('links', user._id, PER_HOUR)], now());
    const { id, beganAt } = session;
    const linking = { user_id, session: { id, beganAt } };
    return { redirect_url: await beginSocialFlow(social, request, reply, client, { linking }) };
  },
});
