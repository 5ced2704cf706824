import { post, postForm } from './api.ts';
import { forgetPending, type Pending, pendingCode, waitForCode } from './pending.ts';
import { navigate } from './router.ts';
import { beginSession, endSession } from './session.ts';

/** What a person does with their account, as calls of the API. */

interface TokenResponse {
  access_token: string;
  /** Seconds. */
  expires_in: number;
}

export function adoptToken({ access_token, expires_in }: TokenResponse): void {
  beginSession({ token: access_token, expiresAt: Date.now() + expires_in * 1000 });
}

export async function signIn(email: string, password: string, recaptcha_token?: string): Promise<void> {
  const body = { email, password, ...(recaptcha_token !== undefined && { recaptcha_token }) };
  adoptToken(await post<TokenResponse>('/api/v1/auth/login', body));
}

export async function signUp(email: string, password: string, name: string): Promise<void> {
  const sentAt = Date.now();
  const { token } = await postForm<{ token: string }>('/v2/signup', { email, password, name });
  waitForCode({ email, token, sentAt }, { password, name });
}

/** Mails a code that resets the password, and verifies an account that is not yet. */
export async function requestCode(email: string): Promise<void> {
  const sentAt = Date.now();
  const { token } = await postForm<{ token: string }>('/v2/forgot-password', { email });
  waitForCode({ email, token, sentAt });
}

/** Mails another code: of the same signup while its password is in memory. */
export async function sendAnotherCode({ email }: Pending): Promise<void> {
  const signup = pendingCode()?.signup;
  if (signup) await signUp(email, signup.password, signup.name);
  else await requestCode(email);
}

/** Verifies the account. @returns whether the person is signed in as well. */
export async function verify({ email, token }: Pending, otp: string): Promise<boolean> {
  const signup = pendingCode()?.signup;
  await postForm('/v2/verify-otp', { email, token, otp });
  forgetPending();
  if (!signup) return false;
  // The account is active in any case; somebody who is asked for a CAPTCHA signs in on the next page.
  return signIn(email, signup.password).then(
    () => true,
    () => false,
  );
}

export async function resetPassword(
  { email, token }: Pending,
  otp: string,
  new_password: string,
): Promise<void> {
  await postForm('/v2/reset-password', { email, token, otp, new_password });
  forgetPending();
}

export async function refresh(): Promise<void> {
  adoptToken(await post<TokenResponse>('/api/v1/auth/refresh'));
}

/** Ends the session at the server and here; here even if the server does not answer. */
export async function signOut(): Promise<void> {
  await post('/api/v1/auth/logout').catch(() => {});
  endSession('signed out');
  navigate('/');
}
