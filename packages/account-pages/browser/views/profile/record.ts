/** The fields of `GET /api/v1/users/me` that the page shows. */
export interface Profile {
  email: string;
  name: string;
  user_id: string | null;
  phone: string | null;
  company: string | null;
  language: 'en' | 'de' | null;
  subscription_plan: string | null;
  subscription_expiry: string | null;
  payment_status: string;
  'user_created_at(DATE)': string;
}
