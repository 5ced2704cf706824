import { AppError } from '@gatehouse/shared/http/errors';
import { createTransport } from 'nodemailer';
import { OTP_VALIDITY } from './account/otp.ts';

/** Milliseconds from the request to the mail server's word, connecting and waiting for a turn included. */
const DEADLINE = 10_000;

export interface Mailer {
  /** Resolves when the mail server has accepted the code. @throws {AppError} unavailable, within 10 seconds. */
  sendOtp(to: string, otp: string): Promise<void>;
  /** Resolves when the mail server has accepted the mail. @throws {AppError} unavailable, within 10 seconds. */
  sendInvitation(to: string, invitation: Invitation): Promise<void>;
  /** Rejects when the mail server does not answer. */
  verify(): Promise<unknown>;
  close(): void;
}

export interface Invitation {
  organization: string;
  department: string;
  /** Where the gateway's pages are. */
  url: string;
  /** Whether the addressee has an account, and so is a member already. */
  isMember: boolean;
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
  const send = async (to: string, subject: string, text: string, refused: string) => {
    try {
      await transport.sendMail({
        from: MAIL_FROM,
        to: { name: '', address: to },
        subject,
        text,
        signal: AbortSignal.timeout(DEADLINE),
      });
    } catch (error) {
      throw new AppError('unavailable', { text: refused, cause: error });
    }
  };
  return {
    sendOtp: (to, otp) =>
      send(
        to,
        'Your OTP Code',
        `Your code is ${otp}\n\nIt is valid for ${OTP_VALIDITY} seconds. If you did not ask for it, ignore this mail.\n`,
        'The code could not be mailed, please try again',
      ),
    // The names are their owners' words: they stand in the text, which is plain, and in no header.
    sendInvitation: (to, { organization, department, url, isMember }) =>
      send(
        to,
        'You are invited to a team',
        isMember
          ? `You are now a member of "${department}" at "${organization}".\n\nLog in at ${url}\n`
          : `You are invited to "${department}" at "${organization}".\n\nSign up with this address at ${url}\nYou are a member as soon as you have verified it. If you do not know who invites you, ignore this mail.\n`,
        'The invitation could not be mailed, please try again',
      ),
    verify: () => transport.verify(),
    close: () => transport.close(),
  };
}
