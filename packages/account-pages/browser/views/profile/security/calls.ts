import { get, post, remove } from '../../../api.ts';

/** The calls of the page for what protects the account. */

export interface Factors {
  totp: { enrolled_at: string } | null;
  recovery_codes_left: number;
  reset_at: string | null;
  password: { set: boolean; allowed: boolean };
}

export interface Enrollment {
  enrollment_id: string;
  /** In base32. */
  secret: string;
  uri: string;
  /** SVG. */
  qr: string;
}

const FACTORS = '/api/v1/users/me/factors';

export const readFactors = () => get<Factors>(FACTORS);
export const beginTotp = () => post<Enrollment>(`${FACTORS}/totp`);
export const confirmTotp = (enrollment_id: string, code: string) =>
  post<{ recovery_codes: string[] }>(`${FACTORS}/totp/confirm`, { enrollment_id, code });
export const disableTotp = () => remove(`${FACTORS}/totp`);
export const replaceRecoveryCodes = () => post<{ recovery_codes: string[] }>(`${FACTORS}/recovery-codes`);
export const changePassword = (new_password: string) => post('/api/v1/users/me/password', { new_password });
export const requestEmail = (email: string) => post('/api/v1/users/me/email', { email });
export const endOtherSessions = () => remove('/api/v1/users/me/sessions');
