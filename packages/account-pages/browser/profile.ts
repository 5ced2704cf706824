import type { Language } from '@gatehouse/shared/http/language';
import { get } from './api.ts';
import { keepAnswer } from './kept-answer.ts';

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

/** Tells the header that the profile has changed. */
export const noteProfileChange = (): void => void dispatchEvent(new Event('profile-changed'));

/** Returns the profile of the reader, which the header and several views need. */
export const getProfile = keepAnswer(() => get<Profile>('/api/v1/users/me'));
