import '@gatehouse/shared/safe-exit';
import { parseArgs } from 'node:util';
import { loadConfig, loadStandaloneConfig } from '@gatehouse/shared/config';
import { LANGUAGES } from '@gatehouse/shared/http/language';
import { createMailer } from '../services/user/mail/mailer.ts';
import { sendSamples } from './mails/samples.ts';

const USAGE = `Sends every mail, in every language and with sample content, to the mailbox of npm start.

  npm run -s mails [-- ADDRESS]     ADDRESS: the recipient, ada@example.com by default

It only ever mails to the mailbox on this machine (STANDALONE_SMTP_PORT), never to SMTP_URL. The mails have your
BRAND_NAME, BRAND_LOGO_URL and BRAND_COLOR.`;

const { values, positionals } = parseArgs({
  options: { help: { type: 'boolean', short: 'h' } },
  allowPositionals: true,
});
if (values.help) {
  console.log(USAGE);
  process.exit(0);
}

const { STANDALONE_SMTP_PORT, STANDALONE_MAILBOX_PORT, GATEWAY_PORT } = loadStandaloneConfig();
const { config } = loadConfig('user', {
  PUBLIC_URL: `http://localhost:${GATEWAY_PORT}`,
  ...Object.fromEntries(Object.entries(process.env).filter(([, value]) => value !== '')),
  NODE_ENV: 'development',
  SMTP_URL: `smtp://127.0.0.1:${STANDALONE_SMTP_PORT}`,
  JWT_SECRET: 'no mail is signed with this secret',
});
const mailer = createMailer(config);
try {
  const to = positionals[0] ?? 'ada@example.com';
  const count = await sendSamples(mailer, { PUBLIC_URL: config.PUBLIC_URL, to, now: Date.now() });
  console.log(
    `Sent ${count.en} mails in each of ${LANGUAGES.length} languages: http://localhost:${STANDALONE_MAILBOX_PORT}`,
  );
} catch (error) {
  const { message, cause } = error as Error;
  console.error(
    `mails: ${message} (${(cause as Error | undefined)?.message ?? 'no cause'}); is npm start running?`,
  );
  process.exitCode = 1;
} finally {
  mailer.close();
}
