import { ApiError, get, post, postForm } from './api.ts';
import { arrival } from './arrival.ts';
import { joinedBy, takeJoined } from './invited.ts';
import { addOpenToken } from './open-tokens.ts';
import { NEEDS_SESSION, viewOf } from './paths.ts';
import { countWrongCode, forgetPending, type Pending, submittedForm, waitForCode } from './pending.ts';
import { rememberEmail } from './remembered-email.ts';
import { navigate } from './router.ts';
import { toDeviceTime } from './server-clock.ts';
import { beginSession, currentSession, endSession, onSessionChange } from './session.ts';
import { texts } from './texts.ts';

/** The API calls of the pages for signing up, signing in and the account. */

interface TokenResponse {
  access_token: string;
  /** Seconds. */
  expires_in: number;
  user_id: string | null;
}

function adoptToken({ access_token, expires_in, user_id }: TokenResponse): void {
  beginSession({ token: access_token, expiresAt: Date.now() + expires_in * 1000, userId: user_id });
}

/** Shows the page that the address names; by default the organization that somebody has just joined, or the profile. */
export function showAccount(): void {
  const { pathname } = location;
  if (!NEEDS_SESSION.has(viewOf(pathname))) navigate(takeJoined() ?? '/profile', { replace: true });
}

/** The token of the CAPTCHA, if one was solved. */
const withCaptcha = <T>(body: T, recaptcha_token = '') => ({
  ...body,
  ...(recaptcha_token && { recaptcha_token }),
});

export async function signIn(email: string, password: string, recaptcha_token?: string): Promise<void> {
  const body = withCaptcha({ email, password }, recaptcha_token);
  adoptToken(await post<TokenResponse>('/api/v1/auth/login', body));
}

/** A sign-in whose password was right and that waits for a code of the second factor. */
export interface HalfSignIn {
  factor_token: string;
  methods: string[];
}

/** Returns what waits for a code if a sign-in was refused for that. */
export const halfSignInOf = (error: unknown): HalfSignIn | undefined =>
  error instanceof ApiError && error.code === 'SECOND_FACTOR_REQUIRED'
    ? (error.details as unknown as HalfSignIn)
    : undefined;

/** @param isDirectory whether a directory has checked the password. */
export async function completeSignIn(
  { factor_token }: HalfSignIn,
  code: string,
  isDirectory: boolean,
): Promise<void> {
  const body = { factor_token, code };
  const answer = isDirectory
    ? post<TokenResponse>('/api/v1/auth/ldap/factor', body)
    : post<TokenResponse>('/api/v1/auth/login/factor', body);
  adoptToken(await answer);
}

/** Changes the address of the account with a mailed code. It is a claim of the token, so the session gets a new one. */
export const changeEmail = (code: string): Promise<void> => extend('/api/v1/users/me/email/verify', { code });

/** Makes the session fresh for ten minutes. */
export const confirmSession = (proof: { password: string } | { code: string }): Promise<void> =>
  extend('/api/v1/auth/confirm', proof);

export async function signUp(email: string, password: string, name: string): Promise<void> {
  const sentAt = Date.now();
  const { token } = await postForm<{ token: string }>('/v2/signup', { email, password, name });
  waitForCode({ email, token, sentAt }, { password, name });
}

/** Mails a code that resets the password. */
export async function requestCode(email: string): Promise<void> {
  const sentAt = Date.now();
  const { token } = await postForm<{ token: string }>('/v2/forgot-password', { email });
  waitForCode({ email, token, sentAt });
}

/** Mails another code of the same signup. Its token stays: that of another call would activate what is newest. */
export async function sendAnotherCode({ email, token }: Pending): Promise<void> {
  const sentAt = Date.now();
  await postForm('/v2/forgot-password', { email, token });
  waitForCode({ email, token, sentAt }, submittedForm());
}

/** Counts wrong codes, and says when the code is dead: to the API it is then one more wrong code. */
const counted = <T>(call: Promise<T>): Promise<T> =>
  call.catch((error: ApiError) => {
    const isWrong = error.status === 400 && error.field === 'otp';
    if (isWrong && !countWrongCode()) throw new ApiError(texts.code.dead, { ...error });
    throw error;
  });

/** Verifies the account. @returns whether the person is signed in as well. */
export async function verify({ email, token }: Pending, otp: string): Promise<boolean> {
  const { password } = submittedForm() ?? {};
  await counted(postForm('/v2/verify-otp', { email, token, otp }));
  forgetPending();
  joinedBy(email);
  rememberEmail(email);
  if (password === undefined) return false;
  // The account is active in any case; somebody who is asked for a CAPTCHA signs in on the next page.
  return signIn(email, password).then(
    () => true,
    () => false,
  );
}

export async function resetPassword(
  { email, token }: Pending,
  otp: string,
  new_password: string,
): Promise<void> {
  await counted(postForm('/v2/reset-password', { email, token, otp, new_password }));
  forgetPending();
  // The reset has ended every session of the account: perhaps the one of this tab.
  if (currentSession()) await get('/api/v1/users/me').catch(() => {});
  rememberEmail(email);
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
  const body = withCaptcha({ connection, username, password }, recaptcha_token);
  adoptToken(await post<TokenResponse>('/api/v1/auth/ldap', body));
}

/** Ends a single sign-on: exchanges the code that the provider's answer led to. */
export async function exchangeCode(code: string): Promise<void> {
  adoptToken(await post<TokenResponse>('/api/v1/auth/sso/exchange', { code }));
}

/** Whether a support link was opened whose session has not been adopted. */
export const isSupportLink = (): boolean => arrival.support !== undefined;

/** Whether the session of a support link would replace another one. */
export const replacesSession = (): boolean => {
  const session = currentSession();
  return session !== undefined && session.token !== arrival.support?.token;
};

/** Keeps the session that there is. */
export function declineSupportSession(): void {
  delete arrival.support;
  navigate('/profile', { replace: true });
}

/** Adopts the session of a support link if the gateway accepts its token as that of `user_id`. */
export async function adoptSupportSession(): Promise<void> {
  const { token, user_id } = arrival.support ?? { token: '', user_id: '' };
  if (!token || !user_id) throw new ApiError(texts.support.incomplete);
  if (!/^[\w.-]+$/.test(token)) throw new ApiError(texts.support.invalid); // no header can carry it
  const owner = await get<{ user_id: string; name: string; email: string }>('/api/v1/users/me', token).catch(
    (error: ApiError) => {
      throw error.status === 401 ? new ApiError(texts.support.invalid) : error;
    },
  );
  if (owner.user_id !== user_id) throw new ApiError(texts.support.otherAccount);
  delete arrival.support;
  const replaced = currentSession();
  if (replaced && replaced.token !== token) addOpenToken(replaced); // nobody could end it later
  beginSession({
    token,
    expiresAt: expiryOf(token),
    userId: user_id,
    supportFor: [owner.name, owner.email].filter(Boolean).join(', '),
  });
}

/** When a token that the gateway has accepted expires by the clock of this device, in Unix milliseconds. */
function expiryOf(token: string): number {
  const claims = token.split('.')[1]?.replaceAll('-', '+').replaceAll('_', '/') ?? '';
  return toDeviceTime(JSON.parse(atob(claims)).exp * 1000);
}

export const refresh = (): Promise<void> => extend('/api/v1/auth/refresh');

/** Replaces the token of the session by another one of the same session. */
async function extend(path: string, body: object = {}): Promise<void> {
  const session = currentSession();
  const { access_token, expires_in } = await post<TokenResponse>(path, body);
  // Somebody may have signed out meanwhile, or in with another account.
  if (!session || currentSession() !== session) return;
  beginSession({ ...session, token: access_token, expiresAt: Date.now() + expires_in * 1000 });
}

/** Ends the session: here at once, so that nothing stays on the screen, and at the server as soon as it answers. */
export function signOut(): void {
  endSession(currentSession()?.supportFor ? 'left' : 'signed out');
  navigate('/');
}

// The next person at this device need not learn who was here.
onSessionChange((end) => end && end !== 'expired' && rememberEmail(''));
