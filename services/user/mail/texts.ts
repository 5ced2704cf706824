import type { Paragraph } from './layout.ts';

/** The mails that the service sends. Users choose the names in them: these may appear in the body, never in a header. */
export interface MailText {
  subject: string;
  content: Paragraph[];
  /** The text of the failure when the mail server does not accept the mail. */
  failure?: string;
}

const REPEATED_SIGNUP = `This address has signed up more than once, and this code replaces the earlier ones.

Enter it only if the latest signup was yours. If it was not, someone else is using your address: ignore this mail. To create your account, sign up yourself and enter the code that you get then.`;

const NOT_VERIFIED = `The account of this address is not verified yet. Verifying it with this code activates the latest signup.

Do that only if the latest signup was yours. If it was not, someone else is using your address: sign up yourself and enter the code that you get then. If you did not ask for this code, ignore this mail.`;

const SIGN_UP_AGAIN = `This address has signed up more than once, so this code creates no account by itself.

To create your account, sign up again and enter the code that you get then. If you still have the page open on which you signed up and asked for this code, you can enter it there instead. If you did not ask for it, ignore this mail.`;

/** Why the owner may have to suspect a stranger. */
const WARNINGS = {
  none: 'If you did not ask for it, ignore this mail.',
  repeatedSignup: REPEATED_SIGNUP,
  notVerified: NOT_VERIFIED,
  signUpAgain: SIGN_UP_AGAIN,
};

export type Warning = keyof typeof WARNINGS;

/** @param validity seconds */
export const otpMail = (otp: string, validity: number, warning: Warning): MailText => ({
  subject: 'Your OTP Code',
  content: [{ text: 'Your code is', code: otp }, `It is valid for ${validity} seconds. ${WARNINGS[warning]}`],
  failure: 'The code could not be mailed, please try again',
});

const UNTIL_THEN = 'Until you accept, nobody there learns anything about you.';
const UNEXPECTED = 'If you do not know who invited you, ignore this mail.';

interface Invitation {
  organization: string;
  department: string;
  /** The account page on which the recipient accepts or declines. */
  url: string;
  /** Whether the recipient has an active account; others become members by verifying the address. */
  hasAccount: boolean;
}

export const invitationMail = ({ organization, department, url, hasAccount }: Invitation): MailText => ({
  subject: 'You are invited to a team',
  content: [
    `You are invited to "${department}" at "${organization}".`,
    hasAccount
      ? { text: 'Log in to accept or decline at', url, after: `${UNTIL_THEN} ${UNEXPECTED}` }
      : {
          text: 'Sign up with this address at',
          url,
          after: `You become a member when you verify your address. ${UNEXPECTED}`,
        },
  ],
  failure: 'The invitation could not be mailed, please try again',
});

interface Offer {
  organization: string;
  url: string;
  /** Whether the Owner who makes the offer stops being one. */
  transfer: boolean;
}

/** Offers to become an Owner of an organization. */
export const offerMail = ({ organization, url, transfer }: Offer): MailText => ({
  subject: 'You are invited to own an organization',
  content: [
    transfer
      ? `An Owner of "${organization}" wants to transfer ownership to you.`
      : `You are invited to become an Owner of "${organization}".`,
    { text: 'Log in to accept or decline at', url, after: `${UNTIL_THEN} ${UNEXPECTED}` },
  ],
  failure: 'The offer could not be mailed',
});

/** The consequences for the account of a person whom a provider has deleted. */
const DELETED = {
  disabled:
    'The account is disabled and its sessions have ended. Its record, memberships and chatbots are kept: decide what becomes of them.',
  foreign:
    'The address is not in a domain that the organization has verified, so the account stays active. It can no longer log in through this provider; decide whether its memberships end.',
  kept: 'The sessions that began at this provider have ended. The account, its memberships and chatbots are kept, and so is its password if it has one: decide what becomes of them.',
} as const;

export interface Deprovisioned {
  organization: string;
  email: string;
  /** Whether the account is disabled, belongs to another organization's domain, or keeps its status. */
  account: keyof typeof DELETED;
}

export const deprovisionedMail = ({ organization, email, account }: Deprovisioned): MailText => ({
  subject: 'An account was deprovisioned',
  content: [`The identity provider of "${organization}" has deleted ${email}.`, DELETED[account]],
});

interface ExpiringCertificate {
  organization: string;
  /** The name of the connection. */
  connection: string;
  expires: Date;
  /** Whether the connection has a certificate that is valid for longer. */
  hasSuccessor: boolean;
}

export const certificateMail = ({
  organization,
  connection,
  expires,
  hasSuccessor,
}: ExpiringCertificate): MailText => ({
  subject: 'A certificate of your identity provider expires',
  content: [
    `A certificate with which the identity provider of "${organization}" signs logins for the connection "${connection}" expires on ${expires.toISOString().slice(0, 10)}.`,
    hasSuccessor
      ? 'The connection has another certificate that is valid for longer. Make sure that the provider signs with it before that day.'
      : 'Replace it at the provider, and import the new certificate into the connection before the provider signs with it. A connection with a metadata address takes new certificates from there every day.',
  ],
});

const WEBHOOK_REASONS = {
  gone: 'The receiver answered 410 Gone, which asks us to send nothing more.',
  failing: 'For three days, every attempt to deliver to it has failed.',
};

interface DisabledWebhook {
  webhook_id: string;
  /** The host of the receiver: its path may hold a key. */
  host: string;
  /** Whether it belongs to an organization, and not to the recipient alone. */
  shared: boolean;
  reason: keyof typeof WEBHOOK_REASONS;
}

export const webhookMail = (
  PUBLIC_URL: string,
  { webhook_id, host, shared, reason }: DisabledWebhook,
): MailText => ({
  subject: 'A webhook was disabled',
  content: [
    `${shared ? "Your organization's" : 'Your'} webhook to ${host} was disabled. ${WEBHOOK_REASONS[reason]}`,
    'It gets no new events. Deliveries that were waiting are kept for now.',
    {
      text: 'Once the receiver works, activate the webhook at',
      url: `${PUBLIC_URL.replace(/\/$/, '')}/webhooks?webhook=${encodeURIComponent(webhook_id)}`,
      after: 'The waiting deliveries are sent then.',
    },
  ],
});

interface FailedPayment {
  organization: string;
  department: string;
  /** When single sign-on ends. */
  endsAt: Date;
}

export const paymentMail = ({ organization, department, endsAt }: FailedPayment): MailText => ({
  subject: 'A payment has failed',
  content: [
    `The payment for the Enterprise plan of "${department}" at "${organization}" has failed.`,
    `Single sign-on stays available until ${endsAt.toISOString().slice(0, 10)}. If no payment succeeds until then, it ends: people log in with their passwords, and those who have none set one with a reset.`,
  ],
});
