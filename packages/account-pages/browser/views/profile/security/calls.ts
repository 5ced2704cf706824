import { get, patch, post, remove } from '../../../gate.ts';

/** The calls of the page for what protects the account. */

export interface Factors {
  totp: { enrolled_at: string } | null;
  recovery_codes_left: number;
  reset_at: string | null;
  password: { set: boolean; allowed: boolean };
  passkeys: Passkey[];
  links: Link[];
}

export interface Passkey {
  passkey_id: string;
  name: string;
  device_family: 'synced' | 'security_key' | 'device';
  /** The password manager or system, if it is known. */
  provider: string | null;
  created_at: string;
  last_used_at: string | null;
}

/** An account at a provider with which the person signs in. */
export interface Link {
  link_id: string;
  provider: string;
  email: string | null;
  created_at: string;
  last_login_at: string | null;
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

export const readFactors = () => get<Factors>(`${FACTORS}?include=ways`);
export const beginTotp = () => post<Enrollment>(`${FACTORS}/totp`);
export const confirmTotp = (enrollment_id: string, code: string) =>
  post<{ recovery_codes: string[] }>(`${FACTORS}/totp/confirm`, { enrollment_id, code });
export const disableTotp = () => remove(`${FACTORS}/totp`);
export const replaceRecoveryCodes = () => post<{ recovery_codes: string[] }>(`${FACTORS}/recovery-codes`);
export const changePassword = (new_password: string) => post('/api/v1/users/me/password', { new_password });
export const requestEmail = (email: string) => post('/api/v1/users/me/email', { email });
export const endOtherSessions = () => remove('/api/v1/users/me/sessions');

const PASSKEYS = '/api/v1/users/me/passkeys';

export const renamePasskey = (passkey_id: string, name: string) =>
  patch(`${PASSKEYS}/${encodeURIComponent(passkey_id)}`, { name });
export const removePasskey = (passkey_id: string) => remove(`${PASSKEYS}/${encodeURIComponent(passkey_id)}`);

const LINKS = '/api/v1/users/me/links';

/** @returns where the browser goes to prove the account there. */
export const beginLink = (provider: string) => post<{ redirect_url: string }>(LINKS, { provider });
export const unlink = (link_id: string) => remove(`${LINKS}/${encodeURIComponent(link_id)}`);
