import { arrival } from './arrival.ts';
import { ApiError, get } from './gate.ts';
import { addOpenToken } from './open-tokens.ts';
import { navigate } from './router.ts';
import { toDeviceTime } from './server-clock.ts';
import { beginSession, currentSession, type Session } from './session.ts';
import { texts } from './texts.ts';

/** The session that a member of the support team hands over. */

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
  if (replaced && replaced.token !== token) addOpenToken(replaced);
  beginSession({
    token,
    expiresAt: expiryOf(token),
    userId: user_id,
    supportFor: [owner.name, owner.email].filter(Boolean).join(', '),
    ...supportOf(token),
  });
}

/** What the session of a token that the gateway has accepted may do, and whose it is, if an operator of Gatehouse began it. */
function supportOf(token: string): Pick<Session, 'support'> {
  const { support: mode, operator } = partOf(token, 0);
  return mode === undefined ? {} : { support: { mode, operator } };
}

/** When such a token expires by the clock of this device, in Unix milliseconds. */
const expiryOf = (token: string): number => toDeviceTime(partOf(token, 1).exp * 1000);

const partOf = (token: string, index: number) =>
  JSON.parse(atob(token.split('.')[index]?.replaceAll('-', '+').replaceAll('_', '/') ?? ''));
