import { ApiError, postAnonymously } from './gate.ts';
import { beginWay } from './last-way.ts';
import { adoptToken, type TokenResponse } from './sign-in-calls.ts';
import { texts } from './visitor-texts.ts';

/** Where a code that signs in was sent, so that a reload asks for the code and not for the address. */
const CODE_SENT = 'gatehouse.login-code';
interface SentCode {
  email: string;
  /** Belongs to this request. */
  token: string;
}

export function sentLoginCode(): SentCode | undefined {
  const stored = sessionStorage.getItem(CODE_SENT);
  return stored === null ? undefined : (JSON.parse(stored) as SentCode);
}

export const forgetLoginCode = (): void => sessionStorage.removeItem(CODE_SENT);

/** Mails a code that signs in, if there is an account with the address. */
export async function sendLoginCode(email: string): Promise<void> {
  const { token } = await postAnonymously<{ token: string }>('/api/v1/auth/login/code', { email });
  sessionStorage.setItem(CODE_SENT, JSON.stringify({ email, token }));
}

export async function signInWithCode(login: {
  email: string;
  code: string;
  token?: string | undefined;
}): Promise<void> {
  beginWay('code');
  const signingIn = postAnonymously<TokenResponse>('/api/v1/auth/login/code/verify', login);
  const answer = await signingIn.catch((error: ApiError) => {
    throw error.status === 401 ? new ApiError(texts.codeLogin.wrong, { field: 'code' }) : error;
  });
  forgetLoginCode();
  adoptToken(answer);
}
