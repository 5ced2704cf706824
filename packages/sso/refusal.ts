import { AppError, type ErrorName } from '@gatehouse/shared/http/errors';

/** Why a login at a provider is refused, and what the person can do. Social login has words of its own for some. */
const REFUSALS = {
  'unknown connection': [
    'notFound',
    'There is no such single sign-on. Check the address or ask your administrator.',
  ],
  'connection disabled': ['forbidden', 'This single sign-on is switched off. Ask your administrator.'],
  'plan without single sign-on': [
    'forbidden',
    'The plan of your organization does not include single sign-on. Ask your administrator.',
  ],
  'login not begun here': [
    'invalidFormat',
    'This login was not begun in this browser, or it took too long. Please begin again.',
  ],
  'login begun at the provider': [
    'forbidden',
    'This login began at your identity provider, which is not allowed here. Begin on the sign-in page, or ask your administrator.',
  ],
  'message malformed': [
    'invalidFormat',
    'Your identity provider sent an answer that could not be read. Please begin again.',
  ],
  'message refused': [
    'forbidden',
    'The answer of your identity provider was not accepted. Please begin again; if it happens again, tell your administrator.',
  ],
  'logout refused': [
    'forbidden',
    'The logout that your identity provider asked for was not accepted. Log out here as well, and tell your administrator.',
  ],
  'message used before': [
    'forbidden',
    'This answer of your identity provider has been used already. Please begin again.',
  ],
  'provider refused': ['forbidden', 'Your identity provider refused the login. Ask your administrator.'],
  'provider unavailable': [
    'unavailable',
    'Your identity provider could not be reached. Please try again in a few minutes.',
  ],
  'credentials refused': ['invalidCredentials', 'The user name or the password is wrong.'],
  'email missing': ['forbidden', 'Your identity provider sent no e-mail address. Ask your administrator.'],
  'email not verified': [
    'forbidden',
    'Your identity provider does not vouch for your e-mail address. Ask your administrator.',
  ],
  'foreign domain': [
    'forbidden',
    'Your organization has not verified the domain of your e-mail address. Ask your administrator.',
  ],
  'role refused': [
    'forbidden',
    'Your identity provider sent a role that it may not give. Ask your administrator.',
  ],
  'account disabled': ['forbidden', 'Your account is disabled. Ask your administrator.'],
  'identity mismatch': [
    'forbidden',
    'Your account belongs to another identity at your provider. Ask your administrator.',
  ],
  'single sign-on required': [
    'ssoRequired',
    'Your organization requires single sign-on. Please log in through your identity provider.',
  ],
  'linked elsewhere': ['duplicate', 'This account of the provider is linked to another account here.'],
  'too many links': ['duplicate', 'Your account has as many links as it can have. Remove one first.'],
} as const satisfies Record<string, readonly [ErrorName, string]>;

export type RefusalReason = keyof typeof REFUSALS;

/** A login at a provider that is refused. The person reads the text of the table, the operator `detail`. */
export class SsoRefusal extends AppError {
  readonly refusal: RefusalReason;
  /** For the log and the audit; never shown to the person. */
  readonly detail: string;

  /** @param options.text what the person reads instead of the text of the table. */
  constructor(refusal: RefusalReason, detail = '', cause?: unknown, options: { text?: string } = {}) {
    const [error, text] = REFUSALS[refusal];
    super(error, { text, cause, ...options });
    this.refusal = refusal;
    this.detail = detail;
  }
}
