import type { SupportMode } from './tokens.ts';

/** The kinds of notices, with what each one tells beside the account, the time and the device. */
export interface NoticeDetails {
  password_changed: object;
  /** A first password. */
  password_set: object;
  password_reset: object;
  /** To the address of the account; `email` is the address that it is to get. */
  email_change_requested: { email: string };
  /** To the earlier address. `undo` is the token for the link by which the change is undone for three days. */
  email_changed: { email: string; undo: string };
  email_change_undone: object;
  /** By the identity provider of an organization; to the earlier address. */
  email_changed_by_provider: { email: string };
  totp_enabled: object;
  totp_disabled: object;
  recovery_codes_replaced: object;
  /** `left` is the number of codes that are left. */
  recovery_code_used: { left: number };
  /** Several wrong codes followed the right password. */
  factor_codes_wrong: object;
  /** By an operator; the second factor ends at `effective_at`. */
  factor_reset_requested: { effective_at: Date };
  /** By an operator, whom the audit names: digits in a mail look like a code. */
  support_session: { mode: SupportMode; until: Date; reason: string };
  /** `provider` is its label. */
  link_added: { provider: string };
  link_removed: { provider: string };
  /** Without its name, in which an intruder could write to the owner. */
  passkey_added: object;
  passkey_removed: object;
  /** A machine key of their own. Without its name, as for passkeys. */
  key_created: object;
  /** The account is deleted at `deletes_at`, unless its person logs in before. */
  deletion_requested: { deletes_at: Date };
  deletion_cancelled: object;
  /** The account is due and kept: these organizations would have no Owner who can act. */
  deletion_kept: { places: string[] };
  /** The person's own data was downloaded; at most once a day. */
  data_downloaded: object;
  /** By an operator of the deployment. */
  changed_by_operator: { change: OperatorChange };
  /** A login from a device and network that the account has not used lately. */
  new_sign_in: object;
}

export type OperatorChange = 'disabled' | 'enabled' | 'verified' | 'sessions_ended' | 'plan';

export type NoticeKind = keyof NoticeDetails;

/** A mail about a change of an account. It waits on the user record until the mail server has accepted it. */
export type Notice<Kind extends NoticeKind = NoticeKind> = {
  [Each in Kind]: {
    id: string;
    kind: Each;
    at: Date;
    /** The address to mail: that of the account at the time. */
    to: string;
    /** The client that made the change; absent for a job or an operator. */
    from?: NoticeOrigin;
    details: NoticeDetails[Each];
    /** Present on a kind that is displaced before all others. */
    minor?: true;
  };
}[Kind];

export interface NoticeOrigin {
  /** The beginning of the `User-Agent` header. */
  device: string;
  address: string;
}
