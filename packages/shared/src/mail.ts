import { createTransport } from 'nodemailer';
import { AppError } from './errors.ts';
import { OTP_VALIDITY } from './otp.ts';

/** Milliseconds from the request to the mail server's word, connecting and waiting for a turn included. */
const DEADLINE = 10_000;

export interface Mailer {
  /** Resolves when the mail server has accepted the code. @throws {AppError} unavailable, within 10 seconds. */
  sendOtp(to: string, otp: string): Promise<void>;
  /** Rejects when the mail server does not answer. */
  verify(): Promise<unknown>;
  close(): void;
}

export function createMailer({ SMTP_URL, MAIL_FROM }: { SMTP_URL: string; MAIL_FROM: string }): Mailer {
  const transport = createTransport({
    url: SMTP_URL,
    pool: true,
    maxConnections: 10,
    maxRequeues: 1,
    connectionTimeout: DEADLINE,
    greetingTimeout: DEADLINE,
    socketTimeout: DEADLINE,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return {
    async sendOtp(to, otp) {
      try {
        await transport.sendMail({
          from: MAIL_FROM,
          to: { name: '', address: to },
          subject: 'Your OTP Code',
          text: `Your code is ${otp}\n\nIt is valid for ${OTP_VALIDITY} seconds. If you did not ask for it, ignore this mail.\n`,
          signal: AbortSignal.timeout(DEADLINE),
        });
      } catch (error) {
        throw new AppError('unavailable', {
          text: 'The code could not be mailed, please try again',
          cause: error,
        });
      }
    },
    verify: () => transport.verify(),
    close: () => transport.close(),
  };
}
