import { ApiError, get, post } from './gate.ts';
import { takeJoined } from './invited.ts';
import { beginWay, rememberWay } from './last-way.ts';
import { addOpenToken } from './open-tokens.ts';
import { NEEDS_SESSION, viewOf } from './paths.ts';
import { isConsole, takePage } from './return-page.ts';
import { navigate } from './router.ts';
import { beginSession, currentSession } from './session.ts';

/** The API calls that begin a session. */

export interface TokenResponse {
  access_token: string;
  /** Seconds. */
  expires_in: number;
  user_id: string | null;
}

/** Begins the session of a sign-in. One that it replaces ends: nobody could end it later. */
export function adoptToken({ access_token, expires_in, user_id }: TokenResponse): void {
  rememberWay();
  const replaced = currentSession();
  if (replaced) addOpenToken(replaced);
  beginSession({ token: access_token, expiresAt: Date.now() + expires_in * 1000, userId: user_id });
}

/** Shows the page that the address names; by default the organization that somebody has just joined, or the profile. */
export function showAccount(): void {
  const { pathname } = location;
  if (NEEDS_SESSION.has(viewOf(pathname))) return;
  const page = takePage() ?? takeJoined() ?? '/profile';
  if (isConsole(page)) location.replace(page);
  else navigate(page, { replace: true });
}

/** The token of the CAPTCHA, if one was solved. */
const withCaptcha = <T>(body: T, recaptcha_token = '') => ({
  ...body,
  ...(recaptcha_token && { recaptcha_token }),
});

export async function signIn(email: string, password: string, recaptcha_token?: string): Promise<void> {
  beginWay('password');
  const body = withCaptcha({ email, password }, recaptcha_token);
  adoptToken(await post<TokenResponse>('/api/v1/auth/login', body));
}

/** A sign-in that waits for its second step. */
export interface HalfSignIn {
  factor_token: string;
  methods: string[];
}

/** Returns what waits for the second step, if a sign-in was refused for that. */
export const halfSignInOf = (error: unknown): HalfSignIn | undefined =>
  error instanceof ApiError && error.code === 'SECOND_FACTOR_REQUIRED'
    ? (error.details as unknown as HalfSignIn)
    : undefined;

/** A passkey's answer to a challenge of the API. */
export interface PasskeyProof {
  passkey_token: string;
  credential: object;
}

/** @param isDirectory whether a directory has checked the password. */
export async function completeSignIn(
  { factor_token }: HalfSignIn,
  proof: { code: string } | PasskeyProof,
  isDirectory: boolean,
): Promise<void> {
  const body = { factor_token, ...proof };
  const answer = isDirectory
    ? post<TokenResponse>('/api/v1/auth/ldap/factor', body)
    : post<TokenResponse>('/api/v1/auth/login/factor', body);
  adoptToken(await answer);
}

/** How a person signs in at their organization. */
export interface SsoConnection {
  protocol: 'saml' | 'oidc' | 'ldap';
  name: string;
  slug: string;
  login_url: string;
}

/** Finds the connection of an organization, by the domain of an e-mail address or by its own short name. */
export function discover(organization: string): Promise<SsoConnection> {
  const [key, value] = organization.includes('@')
    ? ['domain', organization.slice(organization.lastIndexOf('@') + 1)]
    : ['slug', organization];
  return get<SsoConnection>(
    `/api/v1/auth/sso/discover?${new URLSearchParams({ [key]: value.toLowerCase() })}`,
  );
}

export async function signInWithDirectory(
  connection: string,
  username: string,
  password: string,
  recaptcha_token?: string,
): Promise<void> {
  beginWay('sso');
  const body = withCaptcha({ connection, username, password }, recaptcha_token);
  adoptToken(await post<TokenResponse>('/api/v1/auth/ldap', body));
}

/** Ends a single sign-on: exchanges the code that the provider's answer led to. */
export async function exchangeCode(code: string): Promise<void> {
  adoptToken(await post<TokenResponse>('/api/v1/auth/sso/exchange', { code }));
}
