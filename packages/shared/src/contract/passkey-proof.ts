import type { z } from 'zod';
import type { ErrorName } from '../http/errors.ts';
import { requiredText } from '../http/fields.ts';
import { assertion } from '../passkeys/credentials.ts';

export const PASSKEY_TOKEN_EXAMPLE = 'eyJhbGciOiJIUzI1NiIsInR5cCI6InBhc3NrZXkrand0In0.…';

export const passkeyToken = requiredText.meta({
  description: 'From the options; valid once, for two minutes',
  examples: [PASSKEY_TOKEN_EXAMPLE],
});

/** The two fields with which a passkey takes the place of a code or a password. A form holds the credential as text. */
export const passkeyFields = {
  passkey_token: passkeyToken.exactOptional(),
  credential: assertion.exactOptional(),
};
export const passkeyFormFields = {
  ...passkeyFields,
  credential: requiredText.exactOptional().meta({
    description: 'The answer of `navigator.credentials.get()`, as JSON text',
  }),
};

interface Proof {
  code?: unknown;
  passkey_token?: unknown;
  credential?: unknown;
}

type Rule = [holds: (proof: Proof) => boolean, failure: { path?: string[]; error: string }];

/** For `refine`: both fields of a passkey, or neither. */
export const WHOLE_PASSKEY: Rule = [
  ({ passkey_token, credential }) => (passkey_token === undefined) === (credential === undefined),
  { path: ['credential'], error: 'and passkey_token belong together' },
];

/** For `refine`: a code or a passkey. */
const SOME_PROOF: Rule = [
  ({ code, passkey_token, credential }) => (code ?? passkey_token ?? credential) !== undefined,
  { path: ['code'], error: 'is required' },
];

/** For `refine`: not both of them. */
const ONE_PROOF: Rule = [
  ({ code, passkey_token }) => code === undefined || passkey_token === undefined,
  { error: 'must contain either code or passkey_token' },
];

/** Requires one proof of the second factor: a code, or a passkey with both its fields. */
export const withOneProof = <Body extends z.ZodType<Proof>>(body: Body): Body =>
  body
    .refine(...SOME_PROOF)
    .refine(...WHOLE_PASSKEY)
    .refine(...ONE_PROOF);

/** How a passkey fails as a proof. */
export const PASSKEY_FAILURES = [
  'passkeyInvalid',
  'passkeyTokenInvalid',
  'notFound',
] as const satisfies ErrorName[];

/** How a login with the second factor fails, in both contracts. */
export const FACTOR_LOGIN_FAILURES = [
  'factorTokenInvalid',
  'codeInvalid',
  ...PASSKEY_FAILURES,
  'ssoRequired',
  'rateLimited',
  'unavailable',
] as const satisfies ErrorName[];
