import { ApiError, get, postForm } from './gate.ts';
import { joinedBy } from './invited.ts';
import { countWrongCode, forgetPending, type Pending, submittedForm, waitForCode } from './pending.ts';
import { rememberEmail } from './remembered-email.ts';
import { currentSession } from './session.ts';
import { signIn } from './sign-in-calls.ts';
import { texts } from './texts.ts';

/** The API calls that need a code from a mail: for a new account, and for a new password. */

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
