import { z } from 'zod';
import type { GatewayConfig } from '../config.ts';
import { contract } from '../operation/operation.ts';
import { relyingPartyOf } from '../passkeys/relying-party.ts';

const ways = z.object({
  password: z.literal(true),
  passkey: z.boolean(),
  code: z.boolean().meta({ description: 'Whether people can log in with a mailed code' }),
  providers: z
    .array(z.object({ name: z.string(), label: z.string(), login_url: z.string() }))
    .meta({ description: 'The providers of social login, in the order of their buttons' }),
  sign_in: z.enum(['password', 'email-first']).meta({
    description: 'Whether the sign-in page asks for the password at once, or for the e-mail first',
  }),
});

/** The ways to log in that the settings turn on. They change only with a restart. */
export const waysOf = (config: GatewayConfig): z.infer<typeof ways> => ({
  password: true,
  passkey: relyingPartyOf(config) !== undefined,
  code: config.LOGIN_BY_CODE,
  providers: config.SOCIAL.map(({ name, label }) => ({
    name,
    label,
    login_url: `${config.PUBLIC_URL}/social/${name}/login`,
  })),
  sign_in: config.SIGN_IN_FORM,
});

/** Served by the gateway itself. */
export const waysContract = contract('GET /api/v1/auth/ways', {
  needs: 'nothing',
  summary: 'List the ways to log in',
  description:
    'Returns which ways to log in are on, for pages of your own. It names no account, and caches may keep it for five minutes.',
  returns: ways.meta({
    description: 'The ways to log in',
    examples: [
      {
        password: true,
        passkey: true,
        code: true,
        providers: [
          {
            name: 'google',
            label: 'Google',
            login_url: 'https://accounts.example.com/social/google/login',
          },
        ],
        sign_in: 'password',
      },
    ],
  }),
  fails: ['rateLimited', 'unavailable'],
});
