import { type RefusalReason, SsoRefusal } from '../refusal.ts';

/** Texts for people who have no administrator to ask. */
const TEXTS: Partial<Record<RefusalReason, string>> = {
  'unknown connection': 'There is no such way to sign in. Begin on the sign-in page.',
  'message malformed': 'The provider sent an answer that could not be read. Please begin again.',
  'message refused':
    'The answer of the provider was not accepted. Please begin again, or sign in another way.',
  'provider refused':
    'The provider did not sign you in, or you cancelled. Please begin again, or sign in another way.',
  'provider unavailable':
    'The provider could not be reached. Please try again in a few minutes, or sign in another way.',
  'email missing':
    'The provider sent no e-mail address. Sign in another way or sign up first, and then link this account in your profile.',
  'email not verified':
    'The provider does not vouch for your e-mail address. Sign in another way or sign up first, and then link this account in your profile.',
  'account disabled': 'This account is disabled. Contact the operator of this service.',
  'identity mismatch':
    'The account with your e-mail address is linked to another account of this provider. Sign in with that one, or sign in another way and link this one in your profile.',
};

/** Runs a step of social login. Its refusals get the texts above. */
export async function withSocialTexts<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof SsoRefusal)) throw error;
    const { refusal, detail, cause } = error;
    const text = TEXTS[refusal];
    throw text === undefined ? error : new SsoRefusal(refusal, detail, cause, { text });
  }
}
