import { post } from './gate.ts';
import { rememberEmail } from './remembered-email.ts';
import { navigate } from './router.ts';
import { beginSession, currentSession, endSession, onSessionChange } from './session.ts';
import type { PasskeyProof } from './sign-in-calls.ts';

/** What changes the session of the account. */

interface TokenResponse {
  access_token: string;
  /** Seconds. */
  expires_in: number;
}

/** Changes the address of the account with a mailed code. It is a claim of the token, so the session gets a new one. */
export const changeEmail = (code: string): Promise<void> => extend('/api/v1/users/me/email/verify', { code });

/** Makes the session fresh for ten minutes. */
export const confirmSession = (
  proof: { password: string } | { code: string } | PasskeyProof,
): Promise<void> => extend('/api/v1/auth/confirm', proof);

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
