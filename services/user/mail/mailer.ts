import type { Config } from '@gatehouse/shared/config';
import { AppError } from '@gatehouse/shared/http/errors';
import { isLanguage, type Language } from '@gatehouse/shared/http/language';
import type { Flows } from '@gatehouse/shared/identity/fair-queue';
import type { Notice } from '@gatehouse/shared/identity/notice-records';
import type { Recipient } from '@gatehouse/shared/identity/users';
import { channels } from '@gatehouse/shared/tracing/channels';
import { createTransport } from 'nodemailer';
import { htmlOf, type MailBrand, textOf } from './layout.ts';
import type {
  AddressCode,
  Deprovisioned,
  DisabledWebhook,
  ExpiringCertificate,
  FailedPayment,
  Invitation,
  LoginCode,
  MailText,
  MailTexts,
  Offer,
  Warning,
} from './mails.ts';
import { noticeMail } from './notice-mail.ts';
import { pagesOf } from './pages.ts';
import { createMailQueue, MAX_CONNECTIONS, OTHER_MAIL } from './queue.ts';
import { de } from './texts/de.ts';
import { en } from './texts/en.ts';
import { es } from './texts/es.ts';

/** Milliseconds for the mail server to accept a mail, waiting for a turn and connecting included. */
const TIMEOUT = 10_000;

const TEXTS: Record<Language, MailTexts> = { en, de, es };
/** The text of the failure when the mail server does not accept a mail. */
const FAILURE = 'The mail could not be sent';
const CODE_FAILURE = 'The code could not be mailed, please try again';

type MailerConfig = MailBrand &
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

  async function send(
    to: Recipient,
    textOfMail: (texts: MailTexts) => MailText,
    { failure = FAILURE, flows = OTHER_MAIL }: { failure?: string; flows?: Flows } = {},
  ): Promise<void> {
    const language = isLanguage(to.language) ? to.language : 'en';
    const { subject, content } = textOfMail(TEXTS[language]);
    const signal = deadline();
    const mail = () =>
      transport.sendMail({
        from: MAIL_FROM,
        to: { name: '', address: to.email },
        subject,
        text: textOf(content, brand),
        html: htmlOf(content, brand, language),
        signal,
      });
    try {
      await channels.mail.tracePromise(() => enqueue(mail, flows, signal));
    } catch (error) {
      throw new AppError('unavailable', { text: failure, cause: error });
    }
  }

  const pages = pagesOf(brand);
  const sender =
    <Data>(textFor: (texts: MailTexts, data: Data) => MailText, failure = FAILURE) =>
    (to: Recipient, data: Data): Promise<void> =>
      send(to, (texts) => textFor(texts, data), { failure });

  return {
    /** @param flows for whom; see `codeMailFlows`. */
    sendOtp: (to: Recipient, otp: string, validity: number, warning: Warning = 'none', flows?: Flows) =>
      send(to, ({ code }) => code({ otp, validity, warning }), {
        failure: CODE_FAILURE,
        ...(flows && { flows }),
      }),
    sendAddressCode: (to: Recipient, data: AddressCode, flows?: Flows) =>
      send(to, ({ addressCode }) => addressCode(data), { failure: CODE_FAILURE, ...(flows && { flows }) }),
    sendAddressTaken: (to: Recipient, flows?: Flows) =>
      send(to, ({ addressTaken }) => addressTaken(pages), { failure: CODE_FAILURE, ...(flows && { flows }) }),
    sendLoginCode: (to: Recipient, data: LoginCode, flows?: Flows) =>
      send(
        to,
        ({ loginCode }) =>
          loginCode(data, pages.codeLogin({ email: to.email, code: data.code, token: data.token })),
        {
          failure: CODE_FAILURE,
          ...(flows && { flows }),
        },
      ),
    sendInvitation: sender(
      ({ invitation }, data: Invitation) => invitation(data),
      'The invitation could not be mailed, please try again',
    ),
    sendOffer: sender(({ offer }, data: Offer) => offer(data), 'The offer could not be mailed'),
    sendDeprovisioned: sender(({ deprovisioned }, person: Deprovisioned) => deprovisioned(person)),
    sendCertificateExpires: sender(({ certificate }, data: ExpiringCertificate) => certificate(data)),
    sendWebhookDisabled: sender(({ webhook }, data: DisabledWebhook) => webhook(data, pages)),
    sendPaymentFailed: sender(({ payment }, data: FailedPayment) => payment(data)),
    sendNotice: sender((texts, notice: Notice) => noticeMail(notice, texts, pages)),
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
