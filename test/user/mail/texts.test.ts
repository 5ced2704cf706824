import { LANGUAGES } from '@gatehouse/shared/http/language';
import { type Mail, startMailbox } from '@gatehouse/standalone/mailbox/mailbox';
import { beforeAll, describe, expect, test } from 'vitest';
import { sendSamples } from '../../../commands/mails/samples.ts';
import { createMailer } from '../../../services/user/mail/mailer.ts';
import { testConfig } from '../../fixtures/services.ts';

const PUBLIC_URL = 'https://accounts.example.com';
const NOW = Date.UTC(2026, 0, 15, 9, 30);

/** Every mail, in the order of the samples, by language. */
const mails = {} as Record<(typeof LANGUAGES)[number], Mail['content'][]>;
beforeAll(async () => {
  const mailbox = await startMailbox({ port: 0 });
  const config = testConfig('user', { SMTP_URL: `smtp://127.0.0.1:${mailbox.port}`, PUBLIC_URL });
  const mailer = createMailer(config);
  const count = await sendSamples(mailer, { PUBLIC_URL, to: 'ada@example.com', now: NOW });
  mailer.close();
  await mailbox.close();
  const sent = mailbox.mails.map(({ content }) => content).reverse();
  for (const language of LANGUAGES) mails[language] = sent.splice(0, count[language]);
  expect(sent).toEqual([]);
});

const bodyOf = ({ text = '' }: Mail['content']) => text.replace(/\n-- \n.*$/s, '');

describe.each(LANGUAGES)('the mails in %s', (language) => {
  test('have all their parts, in this language', () => {
    expect(mails[language].length).toBeGreaterThan(25);
    for (const { subject, html, text } of mails[language]) {
      expect(subject).toMatch(/\w/);
      expect(`${text}${html}`).not.toMatch(/undefined|null|NaN|\[object|Invalid Date|=>/);
      expect(html).toContain(`<html lang="${language}">`);
    }
  });

  test('link to the account pages and nowhere else', () => {
    for (const { html = '', text = '' } of mails[language]) {
      const hrefs = [...html.matchAll(/href="([^"]*)"/g)].map(([, href]) => href?.replaceAll('&amp;', '&'));
      expect(text.match(/https?:\/\/\S+/g) ?? []).toEqual(hrefs);
      for (const href of hrefs) expect(href).toMatch(/^https:\/\/accounts\.example\.com\/[a-z-]+(?:[?#]|$)/);
    }
  });

  test('hold six digits in a row only as a code', () => {
    for (const mail of mails[language])
      expect(bodyOf(mail).match(/\b\d{6}\b/g) ?? []).toEqual(
        /\bOTP|Ihr Code$|Su código$|^Confirm your new|^Bestätigen Sie Ihre neue|^Confirme su nueva/.test(
          mail.subject ?? '',
        )
          ? ['012345']
          : // The link holds the code too.
            /^Your code to sign|^Ihr Code für|^Su código para/.test(mail.subject ?? '')
            ? ['012345', '012345']
            : [],
      );
  });
});

test('the German mail about an address that is asked for says which address gets the code', () => {
  const requested = mails.de.find(({ subject }) => subject?.includes('beantragt'));
  expect(requested?.text).toContain('den die neue Adresse per Mail erhält');
});

test('no text of one language is in the other', () => {
  const paragraphs = (language: 'en' | 'de') => mails[language].map((mail) => bodyOf(mail).split('\n\n'));
  const [english, german] = [paragraphs('en'), paragraphs('de')];
  expect(german.map((mail) => mail.length)).toEqual(english.map((mail) => mail.length));
  expect(english.flat().filter((paragraph) => german.flat().includes(paragraph))).toEqual([]);
  expect(
    mails.de
      .map(({ subject }) => subject)
      .filter((subject) => mails.en.some((mail) => mail.subject === subject)),
  ).toEqual([]);
});

const sample = (language: 'en' | 'de', subject: string) =>
  mails[language].find((mail) => mail.subject === subject)?.text;

test('the code is mailed with the words of the specification, in English', () => {
  const codes = mails.en.filter(({ subject }) => subject === 'Your OTP Code');
  expect(codes).toHaveLength(4);
  for (const { text } of codes) expect(text).toMatch(/^Your code is 012345\n\nIt is valid for 60 seconds\. /);
});

test('a notice says what, when, from where, and what to do', () => {
  expect(sample('en', 'The e-mail address of your account was changed')).toBe(
    `The e-mail address of your account is now ada.king@example.com. You sign in with it, and mails go there.

Time: January 15, 2026, 09:30 UTC
Device: Firefox on Linux
Network address: 198.51.100.7

If this was you, there is nothing to do. If it was not, undo the change within three days at https://accounts.example.com/undo-email#token=c2FtcGxlIHRva2Vu
This restores the address of this mailbox and ends every session. The password becomes invalid, and you choose a new one.

-- 
Gatehouse
`,
  );
  expect(sample('de', 'Der zweite Faktor Ihres Kontos wird entfernt')).toBe(
    `Ein Betreiber dieses Dienstes entfernt den zweiten Faktor Ihres Kontos. Er endet am 16. Januar 2026, 09:30 Uhr UTC. Danach genügt zur Anmeldung das Passwort allein.

Zeit: 15. Januar 2026, 09:30 Uhr UTC

Wenn Sie nicht darum gebeten haben, melden Sie sich vorher mit einem Code an: Dann bleibt der zweite Faktor bestehen. Wählen Sie außerdem ein neues Passwort: https://accounts.example.com/forgot

-- 
Gatehouse
`,
  );
});
