import type { Config } from '@gatehouse/shared/config';
import { AppError } from '@gatehouse/shared/http/errors';
import type { Flows } from '@gatehouse/shared/identity/fair-queue';
import { createTransport } from 'nodemailer';
import { type Brand, htmlOf, textOf } from './layout.ts';
import { createMailQueue, MAX_CONNECTIONS, OTHER_MAIL } from './queue.ts';
import {
  certificateMail,
  deprovisionedMail,
  invitationMail,
  type MailText,
  offerMail,
  otpMail,
  paymentMail,
  type Warning,
  webhookMail,
} from './texts.ts';

/** Milliseconds for the mail server to accept a mail, waiting for a turn and connecting included. */
const TIMEOUT = 10_000;

type MailerConfig = Brand &
  Pick<Config<'user'>, 'SMTP_URL' | 'MAIL_FROM'> &
  Partial<Pick<Config, 'NODE_ENV'>>;

/**
 * Each send resolves once the mail server has accepted the mail, and otherwise throws the AppError unavailable.
 * @param options.deadline makes the signal that abandons one send; a test injects its own.
 */
export function createMailer(
  { SMTP_URL, MAIL_FROM, NODE_ENV, ...brand }: MailerConfig,
  { deadline = () => AbortSignal.timeout(TIMEOUT) }: { deadline?: () => AbortSignal } = {},
) {
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

  /** @param flows for whom; see `codeMailFlows`. */
  async function send(
    to: string,
    { subject, content, failure = 'The mail could not be sent' }: MailText,
    flows: Flows = OTHER_MAIL,
  ): Promise<void> {
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
  }

  const sender =
    <Data>(textFor: (data: Data) => MailText) =>
    (to: string, data: Data): Promise<void> =>
      send(to, textFor(data));

  return {
    sendOtp: (to: string, otp: string, validity: number, warning: Warning = 'none', flows?: Flows) =>
      send(to, otpMail(otp, validity, warning), flows),
    sendInvitation: sender(invitationMail),
    sendOffer: sender(offerMail),
    sendDeprovisioned: sender(deprovisionedMail),
    sendCertificateExpires: sender(certificateMail),
    sendWebhookDisabled: sender((webhook: Parameters<typeof webhookMail>[1]) =>
      webhookMail(brand.PUBLIC_URL, webhook),
    ),
    sendPaymentFailed: sender(paymentMail),
    /** Rejects when the mail server does not answer. */
    verify: (): Promise<unknown> => transport.verify(),
    close: (): void => transport.close(),
  };
}

export type Mailer = ReturnType<typeof createMailer>;

/** Whether a mail server's URL itself says how to use TLS, as in `smtp://mailpit:1025?requireTLS=false`. */
function statesTls(url: string): boolean {
  const { protocol, searchParams } = new URL(url);
  return (
    protocol === 'smtps:' ||
    ['requireTLS', 'ignoreTLS', 'opportunisticTLS'].some((name) => searchParams.has(name))
  );
}
