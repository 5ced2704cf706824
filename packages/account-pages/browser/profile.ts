import type { Language } from '@gatehouse/shared/http/language';
import { get } from './gate.ts';
import { keepAnswer } from './kept-answer.ts';
import { currentSession } from './session.ts';

/** Where this tab keeps what the header shows; the end of the session removes it. */
const KEY = 'gatehouse.person';

/** The fields of `GET /api/v1/users/me` that the pages show. */
export interface Profile {
  email: string;
  name: string;
  user_id: string | null;
  phone: string | null;
  company: string | null;
  language: Language | null;
  /** The path of the picture. */
  picture: string | null;
  subscription_plan: string | null;
  subscription_expiry: string | null;
  payment_status: string;
  'user_created_at(DATE)': string;
}

/** What the header shows of the reader. */
export type Person = Pick<Profile, 'name' | 'email' | 'picture'>;

/** Returns the profile of the reader, which several views need. */
export const getProfile = keepAnswer(async () => {
  const profile = await get<Profile>('/api/v1/users/me');
  const { name, email, picture } = profile;
  const userId = currentSession()?.userId;
  if (userId) sessionStorage.setItem(KEY, JSON.stringify({ userId, name, email, picture }));
  return profile;
});

/** Returns what the header shows, read once in a session: a view makes two calls of its own. */
export async function getPerson(): Promise<Person> {
  const { userId, ...person } = JSON.parse(sessionStorage.getItem(KEY) ?? '{}');
  return userId && userId === currentSession()?.userId ? person : getProfile();
}

/** Tells the header that the profile has changed. */
export function noteProfileChange(): void {
  sessionStorage.removeItem(KEY);
  dispatchEvent(new Event('profile-changed'));
}
