import type { NoticeDetails, NoticeKind } from '@gatehouse/shared/identity/notice-records';
import type { Paragraph } from './layout.ts';

/** Users choose the names in a mail: these may appear in the body, never in a header. */
export interface MailText {
  subject: string;
  content: Paragraph[];
}

/** Why the owner of an address may have to suspect a stranger when they get a code. */
export type Warning = 'none' | 'repeatedSignup' | 'notVerified' | 'signUpAgain';

interface Code {
  otp: string;
  /** Seconds. */
  validity: number;
  warning: Warning;
}

/** The code that confirms the new address of an account. */
export interface AddressCode {
  code: string;
  minutes: number;
}

/** The code with which a person logs in. */
export interface LoginCode {
  code: string;
  /** That of the request: with it, the link opens its own code whatever has been asked for since. */
  token: string;
  minutes: number;
}

export interface Invitation {
  organization: string;
  department: string;
  /** The account page on which the recipient accepts or declines. */
  url: string;
  /** Whether the recipient has an active account; others become members by verifying the address. */
  hasAccount: boolean;
}

/** Offers to become an Owner of an organization. */
export interface Offer {
  organization: string;
  url: string;
  /** Whether the Owner who makes the offer stops being one. */
  transfer: boolean;
}

export interface Deprovisioned {
  organization: string;
  email: string;
  /** Whether the account is disabled, belongs to another organization's domain, or keeps its status. */
  account: 'disabled' | 'foreign' | 'kept';
}

export interface ExpiringCertificate {
  organization: string;
  /** The name of the connection. */
  connection: string;
  expires: Date;
  /** Whether the connection has a certificate that is valid for longer. */
  hasSuccessor: boolean;
}

export interface DisabledWebhook {
  webhook_id: string;
  /** The host of the receiver: its path may hold a key. */
  host: string;
  /** Whether it belongs to an organization, and not to the recipient alone. */
  shared: boolean;
  reason: 'gone' | 'failing';
}

export interface FailedPayment {
  organization: string;
  department: string;
  /** When single sign-on ends. */
  endsAt: Date;
}

/** The account pages that mails lead to. */
export interface Pages {
  login: string;
  forgotPassword: string;
  keys: string;
  webhook: (webhook_id: string) => string;
  undoEmail: (token: string) => string;
  codeLogin: (login: { email: string; code: string; token: string }) => string;
}

/** What a notice says beside the time, the device and the network address. */
export interface NoticeText {
  subject: string;
  happened: string;
  /** What to do if it was not the recipient. */
  otherwise: Paragraph;
  /** What to do after that. */
  then?: Paragraph;
}

/** The texts of every mail in one language. */
export interface MailTexts {
  code: (code: Code) => MailText;
  addressCode: (code: AddressCode) => MailText;
  addressTaken: (pages: Pages) => MailText;
  loginCode: (code: LoginCode, url: string) => MailText;
  invitation: (invitation: Invitation) => MailText;
  offer: (offer: Offer) => MailText;
  deprovisioned: (person: Deprovisioned) => MailText;
  certificate: (certificate: ExpiringCertificate) => MailText;
  webhook: (webhook: DisabledWebhook, pages: Pages) => MailText;
  payment: (payment: FailedPayment) => MailText;
  notices: { [Kind in NoticeKind]: (details: NoticeDetails[Kind], pages: Pages) => NoticeText };
  /** How a notice says when and from where its change was made. */
  circumstances: {
    time: string;
    timeOf: (at: Date) => string;
    device: string;
    deviceOf: (browser: string, os: string) => string;
    address: string;
    unknown: string;
  };
}
