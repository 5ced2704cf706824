import { type Finding, fail, ok } from '@gatehouse/shared/checks/finding';
import type { Config } from '@gatehouse/shared/config';
import { createMailer } from './mailer.ts';

/** Whether the mail server takes a connection with these credentials. No mail is sent. */
export async function checkMail(config: Config<'user'>): Promise<Finding> {
  const mailer = createMailer(config);
  try {
    await mailer.verify();
    return ok('mail', 'the mail server accepts connections');
  } catch (error) {
    const advice =
      'check SMTP_URL, and that this machine may reach the server; until then nobody gets a code';
    return fail('mail', `the mail server refuses: ${(error as Error).message}`, advice);
  } finally {
    mailer.close();
  }
}
