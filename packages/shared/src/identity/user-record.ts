import type { Language } from '../http/language.ts';
import type { Notice } from './notice-records.ts';

/** CONTRACT.md §User record, followed by internal fields. Times are Unix seconds unless noted. */
export interface User {
  email: string;
  /** An argon2id hash in PHC format. Any other value is the password itself. */
  password: string;
  /** The hash of an account that came from another system; see `withForeignHash` in passwords.ts. */
  foreign_hash?: string;
  name: string;
  /** Older records hold other truthy and falsy values, or none. */
  verified?: unknown;
  user_id?: string;
  otp?: string;
  otp_expiration?: number;
  account_status: 'paused' | 'active' | 'disabled';
  payment_status: string;
  'user_created_at(DATE)': string;
  subscription_id: string;
  subscription_date: string;
  subscription_plan?: string;
  subscription_expiry?: string;
  created_at?: string;
  last_login?: string;
  phone?: string;
  company?: string;
  role?: string;
  /** The language of mails; absent on older records, whose mails are in English. */
  language?: Language;
  /** The id of the person's picture. */
  picture?: string;

  /** Pending signups of an unverified account, oldest first. The fields above are those of the newest one. */
  signup_attempts?: SignupAttempt[];
  /** The attempt id of the signup that made an unverified record; empty where the previous version made it. */
  first_attempt?: string;
  /** When an unverified account last signed up. The TTL index deletes by it; older records have none and stay. */
  unverified_since?: Date;
  /** The attempt id in the token of the newest signup or forgot-password call, which issued the current code. */
  otp_attempt?: string;
  /** Wrong guesses for the current code without that token. */
  otp_wrong_guesses?: number;
  /** Wrong guesses for the current code with that token. */
  otp_holder_guesses?: number;
  /** Times of the latest wrong guesses without that token, oldest first, at most the hourly limit. */
  otp_wrong_guess_times?: number[];
  /** The codes mailed in the last hour, oldest first, each with the client networks that asked for it. */
  otp_mails?: { at: number; network: string; wider?: string[] }[];
  /** The codes of the last day that were not used, oldest first, each with its networks and the attempt id of its token. */
  otp_unused?: { at: number; attempt: string; network?: string; wider?: string[] }[];
  /** Result of the latest code check. */
  otp_verdict?: OtpVerdict;
  /** The networks of the latest logins hashed; see known-networks.ts beside this file. */
  login_networks?: string[];
  /** The devices with their wide networks of the latest logins, hashed, each with about the day of its latest login. */
  sign_ins?: { id: string; day: Date }[];
  /** When the person was told of new sign-ins in the last day, oldest first. */
  sign_in_notices?: Date[];
  /** When the person was last told that their own data was downloaded. */
  data_notice_at?: Date;
  /** The words of the name, case folded, for the search of operators; absent until a job has stored them. */
  name_words?: string[];
  /** Which system an imported account came from, when, and its id there. */
  imported?: { from: string; at: Date; id?: string };
  /** When a verification activated the account; absent once the earlier invitations to its address are accepted. */
  activated_at?: Date;
  /** The address that the account is to get, until a code confirms it. */
  email_change?: EmailChange;
  /** When the account got its address; absent on older records. */
  address_since?: Date;
  /** The former addresses to which the account can be set back, oldest first. */
  email_undos?: EmailUndo[];
  /**
   * When the address changed, until what holds it has followed; `accepts` if the invitations to the new address are to be
   * accepted, `undoes` with the time of the change that is undone.
   */
  address_changed?: { at: Date; accepts?: true; undoes?: Date };
  /** Present once the account has a second factor. */
  second_factor?: SecondFactor;
  /** An enrollment that awaits its first code. */
  pending_factor?: PendingFactor;
  /** A reset by an operator: from `due_at` on, the account counts as one without a second factor. */
  factor_reset?: { due_at: Date; reason: string };
  /** Times of the latest wrong codes of the second factor, oldest first, at most the budget; Unix seconds. */
  factor_guesses?: number[];
  /** Whether the features record of the free plan is known to exist. */
  features_assigned?: boolean;
  /** Sessions that began at this time or earlier have ended. */
  sessions_valid_from?: Date;
  /** Machine keys that were made at this time or earlier have ended. */
  keys_valid_from?: Date;
  /** Sessions that began at `at` or earlier have ended, except the one that asked for it. */
  others_ended?: { at: Date; kept: string };
  /** Which connection disabled the account through SCIM (`sso:{connection_id}`), and its status before. */
  deprovisioned?: { by: string; account_status: string };
  /** The names that the person gave their devices, oldest first. */
  session_names?: { id: string; name: string }[];
  /** Sessions that were ended early, kept until their last token expires. */
  ended_sessions?: { id: string; until: Date }[];
  /** The credential ids of the account's passkeys, oldest first; see ways-in.ts beside this file. */
  passkeys?: string[];
  /** The WebAuthn user handle, random bytes in base64url. It stays when the last passkey is removed. */
  passkey_handle?: string;
  /** The login names of the account at providers, oldest first. */
  links?: string[];
  /** Present once the person has asked to delete the account; see deletion.ts beside this file. */
  deletion?: AccountDeletion;
  /** Notices that are still to be mailed, oldest first; see notices.ts beside this file. */
  notices?: Notice[];
  /** When they must be looked at; absent when there are none. */
  notices_due?: Date;
  /** The process that mails them. */
  notices_holder?: string;
}

/** The deletion of an account, from the person's request on. */
export interface AccountDeletion {
  requested_at: Date;
  due_at: Date;
  /** When a process must look at it; while a lease is held, when it expires. */
  next: Date;
  /** Which process deletes the account. */
  lease?: string;
  /** The account is kept although it is due: an organization would be left without an Owner. The person has been told. */
  kept?: true;
  /** When the job began: from then on no login restores the account. */
  begun_at?: Date;
  /** The status that the account gets back if it is kept after all. SCIM changes it here once the job has begun. */
  account_status?: User['account_status'];
  /** The address of the account. It is stored here when the record is stripped; from then on nothing undoes it. */
  email?: string;
}

/** The second factor of an account: a generator of time-based codes (RFC 6238), and codes for the day it is lost. */
export interface SecondFactor {
  /** Names this enrollment. */
  id: string;
  /** The shared secret in base32, sealed for `factorRecord`. */
  secret: string;
  enrolled_at: Date;
  /** The time step of the latest accepted code. No code of it or an earlier one is accepted again. */
  last_step: number;
  /** Digests of the unused recovery codes. */
  recovery_codes: string[];
}

/** An authenticator app whose first code is awaited. Its `id` becomes that of the second factor. */
export interface PendingFactor extends Pick<SecondFactor, 'id' | 'secret'> {
  created_at: Date;
}

/** A change of the address that waits for its code. */
export interface EmailChange {
  id: string;
  email: string;
  code: string;
  expires_at: Date;
  wrong_guesses: number;
}

/** An address that the account had, and until when the link in its mailbox sets it back. */
export interface EmailUndo {
  /** The id of the change. */
  id: string;
  email: string;
  until: Date;
}

/** What one signup submitted, under the id in its token (CONTRACT.md §Signup). */
export interface SignupAttempt {
  id: string;
  at: number;
  password: string;
  name: string;
}

export type OtpVerdict = 'valid' | 'budgetSpent' | 'expired' | 'invalid' | 'wrong';
