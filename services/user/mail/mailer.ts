import type { Config } from '@gatehouse/shared/config';
import { AppError } from '@gatehouse/shared/http/errors';
import type { Flows } from '@gatehouse/shared/identity/fair-queue';
import { createTransport } from 'nodemailer';
import { type Brand, htmlOf, type Paragraph, textOf } from './layout.ts';
import { createMailQueue, MAX_CONNECTIONS, OTHER_MAIL } from './queue.ts';

/** Milliseconds for the mail server to accept a mail, waiting for a turn and connecting included. */
const TIMEOUT = 10_000;

const REPEATED_SIGNUP = `This address has signed up more than once, and this code replaces the earlier ones.

Enter it only if the latest signup was yours. If it was not, someone else is using your address: ignore this mail. To create your account, sign up yourself and enter the code that you get then.`;

const NOT_VERIFIED = `The account of this address is not verified yet. Verifying it with this code activates the latest signup.

Do that only if the latest signup was yours. If it was not, someone else is using your address: sign up yourself and enter the code that you get then. If you did not ask for this code, ignore this mail.`;

const SIGN_UP_AGAIN = `This address has signed up more than once, so this code creates no account by itself.

To create your account, sign up again and enter the code that you get then. If you still have the page open on which you signed up and asked for this code, you can enter it there instead. If you did not ask for it, ignore this mail.`;

const WARNINGS = {
  none: 'If you did not ask for it, ignore this mail.',
  repeatedSignup: REPEATED_SIGNUP,
  notVerified: NOT_VERIFIED,
  signUpAgain: SIGN_UP_AGAIN,
};

const UNTIL_THEN = 'Until you accept, nobody there learns anything about you.';
const UNEXPECTED = 'If you do not know who invited you, ignore this mail.';

const WEBHOOK_REASONS = {
  gone: 'The receiver answered 410 Gone, which asks us to send nothing more.',
  failing: 'For three days, every attempt to deliver to it has failed.',
};

/** Each send resolves once the mail server has accepted the mail. @throws {AppError} unavailable otherwise. */
export interface Mailer {
  /**
   * @param validity seconds
   * @param warning why the owner may have to suspect a stranger: the address had signed up before, or a code
   * that no signup asked for can activate the latest one, or none.
   * @param flows for whom; see `codeMailFlows`.
   */
  sendOtp(
    to: string,
    otp: string,
    validity: number,
    warning?: keyof typeof WARNINGS,
    flows?: Flows,
  ): Promise<void>;
  sendInvitation(to: string, invitation: Invitation): Promise<void>;
  /** Offers to become an Owner of an organization. */
  sendOffer(to: string, offer: Offer): Promise<void>;
  /** Tells an Owner that provisioning has deleted a person. */
  sendDeprovisioned(to: string, person: Deprovisioned): Promise<void>;
  /** Tells an Owner that a certificate of an identity provider expires. */
  sendCertificateExpires(to: string, certificate: ExpiringCertificate): Promise<void>;
  /** Tells an owner that a webhook gets nothing more. */
  sendWebhookDisabled(to: string, webhook: DisabledWebhook): Promise<void>;
  /** Tells an Owner that single sign-on will end, because a payment has failed. */
  sendPaymentFailed(to: string, payment: FailedPayment): Promise<void>;
  /** Rejects when the mail server does not answer. */
  verify(): Promise<unknown>;
  close(): void;
}

interface Invitation {
  organization: string;
  department: string;
  /** The account page on which the recipient accepts or declines. */
  url: string;
  /** Whether the recipient has an active account; anybody else becomes a member by verifying the address. */
  hasAccount: boolean;
}

interface Offer {
  organization: string;
  url: string;
  /** Whether the Owner who makes the offer stops being one. */
  transfer: boolean;
}

type MailerConfig = Brand &
  Pick<Config<'user'>, 'SMTP_URL' | 'MAIL_FROM'> &
  Partial<Pick<Config, 'NODE_ENV'>>;

/** What becomes of the account of a person whom a provider has deleted. */
const DELETED = {
  disabled:
    'The account is disabled and its sessions have ended. Its record, memberships and chatbots are kept: decide what becomes of them.',
  foreign:
    'The address is not in a domain that the organization has verified, so the account goes on. It can no longer log in through this provider; decide whether its memberships end.',
  kept: 'The sessions that began at this provider have ended. The account, its memberships and chatbots are kept, and so is its password if it has one: decide what becomes of them.',
} as const;

export interface Deprovisioned {
  organization: string;
  email: string;
  /** Whether the account is disabled, belongs to another organization's domain, or keeps its status. */
  account: keyof typeof DELETED;
}

interface ExpiringCertificate {
  organization: string;
  /** The name of the connection. */
  connection: string;
  expires: Date;
  /** Whether the connection has a certificate that is valid for longer. */
  hasSuccessor: boolean;
}

interface DisabledWebhook {
  webhook_id: string;
  /** The host of the receiver: its path may hold a key. */
  host: string;
  /** Whether it belongs to an organization, and not to the recipient alone. */
  shared: boolean;
  reason: keyof typeof WEBHOOK_REASONS;
}

interface FailedPayment {
  organization: string;
  department: string;
  /** When single sign-on ends. */
  endsAt: Date;
}

/** @param options.deadline makes the signal that abandons one send; a test injects its own. */
export function createMailer(
  { SMTP_URL, MAIL_FROM, NODE_ENV, ...brand }: MailerConfig,
  { deadline = () => AbortSignal.timeout(TIMEOUT) }: { deadline?: () => AbortSignal } = {},
): Mailer {
  const transport = createTransport({
    url: SMTP_URL,
    ...(NODE_ENV === 'production' && !statesTls(SMTP_URL) && { requireTLS: true }),
    pool: true,
    maxConnections: MAX_CONNECTIONS,
    maxRequeues: 1,
    connectionTimeout: TIMEOUT,
    greetingTimeout: TIMEOUT,
    socketTimeout: TIMEOUT,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const enqueue = createMailQueue();
  const send = async (
    to: string,
    subject: string,
    content: Paragraph[],
    failure: string,
    flows = OTHER_MAIL,
  ) => {
    const signal = deadline();
    const mail = () =>
      transport.sendMail({
        from: MAIL_FROM,
        to: { name: '', address: to },
        subject,
        text: textOf(content, brand),
        html: htmlOf(content, brand),
        signal,
      });
    try {
      await enqueue(mail, flows, signal);
    } catch (error) {
      throw new AppError('unavailable', { text: failure, cause: error });
    }
  };
  return {
    sendOtp: (to, otp, validity, warning = 'none', flows = OTHER_MAIL) =>
      send(
        to,
        'Your OTP Code',
        [{ text: 'Your code is', code: otp }, `It is valid for ${validity} seconds. ${WARNINGS[warning]}`],
        'The code could not be mailed, please try again',
        flows,
      ),
    // Users choose these names: they may appear in the body, never in a header.
    sendInvitation: (to, { organization, department, url, hasAccount }) =>
      send(
        to,
        'You are invited to a team',
        [
          `You are invited to "${department}" at "${organization}".`,
          hasAccount
            ? { text: 'Log in to accept or decline at', url, after: `${UNTIL_THEN} ${UNEXPECTED}` }
            : {
                text: 'Sign up with this address at',
                url,
                after: `You become a member when you verify your address. ${UNEXPECTED}`,
              },
        ],
        'The invitation could not be mailed, please try again',
      ),
    sendOffer: (to, { organization, url, transfer }) =>
      send(
        to,
        'You are invited to own an organization',
        [
          transfer
            ? `An Owner of "${organization}" offers you their place.`
            : `You are invited to become an Owner of "${organization}".`,
          { text: 'Log in to accept or decline at', url, after: `${UNTIL_THEN} ${UNEXPECTED}` },
        ],
        'The offer could not be mailed',
      ),
    sendDeprovisioned: (to, { organization, email, account }) =>
      send(
        to,
        'A person was deleted by provisioning',
        [`The identity provider of "${organization}" has deleted ${email}.`, DELETED[account]],
        'The mail could not be sent',
      ),
    sendCertificateExpires: (to, { organization, connection, expires, hasSuccessor }) =>
      send(
        to,
        'A certificate of your identity provider expires',
        [
          `A certificate with which the identity provider of "${organization}" signs logins for the connection "${connection}" expires on ${expires.toISOString().slice(0, 10)}.`,
          hasSuccessor
            ? 'The connection has another certificate that is valid for longer. Make sure that the provider signs with it before that day.'
            : 'Replace it at the provider, and import the new certificate into the connection before the provider signs with it. A connection with a metadata address takes new certificates from there every day.',
        ],
        'The mail could not be sent',
      ),
    sendWebhookDisabled: (to, { webhook_id, host, shared, reason }) =>
      send(
        to,
        'A webhook was disabled',
        [
          `${shared ? "Your organization's" : 'Your'} webhook to ${host} was disabled. ${WEBHOOK_REASONS[reason]}`,
          'It gets no new events. Deliveries that were waiting are kept for now.',
          {
            text: 'Once the receiver works, activate the webhook at',
            url: `${brand.PUBLIC_URL.replace(/\/$/, '')}/webhooks?webhook=${encodeURIComponent(webhook_id)}`,
            after: 'The waiting deliveries are sent then.',
          },
        ],
        'The mail could not be sent',
      ),
    sendPaymentFailed: (to, { organization, department, endsAt }) =>
      send(
        to,
        'A payment has failed',
        [
          `The payment for the Enterprise plan of "${department}" at "${organization}" has failed.`,
          `Single sign-on goes on until ${endsAt.toISOString().slice(0, 10)}. If no payment succeeds until then, it ends: people log in with their passwords, and those who have none set one with a reset.`,
        ],
        'The mail could not be sent',
      ),
    verify: () => transport.verify(),
    close: () => transport.close(),
  };
}

/** Whether a mail server's URL itself says how to use TLS, as in `smtp://mailpit:1025?requireTLS=false`. */
function statesTls(url: string): boolean {
  const { protocol, searchParams } = new URL(url);
  return (
    protocol === 'smtps:' ||
    ['requireTLS', 'ignoreTLS', 'opportunisticTLS'].some((name) => searchParams.has(name))
  );
}
