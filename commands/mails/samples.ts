import { LANGUAGES, type Language } from '@gatehouse/shared/http/language';
import type { Notice, NoticeDetails, NoticeKind } from '@gatehouse/shared/identity/notice-records';
import type { Recipient } from '@gatehouse/shared/identity/users';
import type { Mailer } from '../../services/user/mail/mailer.ts';
import type { Warning } from '../../services/user/mail/mails.ts';

type Send<Name extends keyof Mailer> = Mailer[Name] extends (to: Recipient, ...mail: infer Mail) => unknown
  ? Mail
  : never;

/** Mails of each kind: what is passed after the recipient. */
type Samples = { [Name in keyof Mailer as Name extends `send${string}` ? Name : never]: Send<Name>[] };

const DAY = 86_400_000;
const OTP = '012345';
const VALIDITY = 60;
const NAMES = { organization: 'Analytical Engines', department: 'Research' };
const INVITATION_ID = '01936f31-2c4b-7b1d-8e52-6a0d4f9c7e13';
const WARNINGS: Record<Warning, true> = {
  none: true,
  repeatedSignup: true,
  notVerified: true,
  signUpAgain: true,
};
const FROM = {
  device: 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
  address: '198.51.100.7',
};

const noticeDetails = (now: number): NoticeDetails => ({
  password_changed: {},
  password_set: {},
  password_reset: {},
  email_change_requested: { email: 'ada.king@example.com' },
  email_changed: { email: 'ada.king@example.com', undo: 'c2FtcGxlIHRva2Vu' },
  email_change_undone: {},
  email_changed_by_provider: { email: 'ada.king@example.com' },
  totp_enabled: {},
  totp_disabled: {},
  link_added: { provider: 'Google' },
  link_removed: { provider: 'Google' },
  recovery_codes_replaced: {},
  recovery_code_used: { left: 7 },
  factor_codes_wrong: {},
  factor_reset_requested: { effective_at: new Date(now + DAY) },
  support_session: {
    mode: 'read',
    until: new Date(now + DAY / 48),
    reason: 'Cannot find their chatbots, ticket 4711',
  },
  passkey_added: {},
  passkey_removed: {},
  key_created: {},
  deletion_requested: { deletes_at: new Date(now + 14 * DAY) },
  deletion_cancelled: {},
  changed_by_operator: { change: 'sessions_ended' },
  deletion_kept: { places: ['Analytical Engines'] },
  data_downloaded: {},
  new_sign_in: {},
});

/** An operator or a job does this, so the notice names no device. */
const BY_OTHERS: readonly string[] = [
  'factor_reset_requested',
  'support_session',
  'deletion_kept',
] satisfies NoticeKind[];

function noticesOf(to: string, now: number): Notice[] {
  return Object.entries(noticeDetails(now)).map(([kind, details]) => ({
    id: kind,
    kind,
    at: new Date(now),
    to,
    ...(!BY_OTHERS.includes(kind) && { from: FROM }),
    details,
  })) as Notice[];
}

function samplesOf(PUBLIC_URL: string, to: string, now: number): Samples {
  const url = `${PUBLIC_URL}/invitation#invitation_id=${INVITATION_ID}`;
  return {
    sendOtp: Object.keys(WARNINGS).map((warning) => [OTP, VALIDITY, warning as Warning]),
    sendAddressCode: [[{ code: OTP, minutes: 15 }]],
    sendAddressTaken: [[]],
    sendLoginCode: [[{ code: OTP, token: 'eyJhbGciOiJIUzI1NiJ9', minutes: 10 }]],
    sendInvitation: [true, false].map((hasAccount) => [{ ...NAMES, url, hasAccount }]),
    sendOffer: [true, false].map((transfer) => [{ ...NAMES, url, transfer }]),
    sendDeprovisioned: (['disabled', 'foreign', 'kept'] as const).map((account) => [
      { ...NAMES, email: 'grace@example.com', account },
    ]),
    sendCertificateExpires: [true, false].map((hasSuccessor) => [
      { ...NAMES, connection: 'Acme', expires: new Date(now + 30 * DAY), hasSuccessor },
    ]),
    sendWebhookDisabled: (['gone', 'failing'] as const).map((reason) => [
      { webhook_id: 'sample', host: 'receiver.example.com', shared: reason === 'gone', reason },
    ]),
    sendPaymentFailed: [[{ ...NAMES, endsAt: new Date(now + 14 * DAY) }]],
    sendNotice: noticesOf(to, now).map((notice) => [notice]),
  };
}

/**
 * Sends every mail in every language to one address, with sample content.
 * @param now Unix milliseconds.
 * @returns how many were sent in each language.
 */
export async function sendSamples(
  mailer: Mailer,
  { PUBLIC_URL, to, now }: { PUBLIC_URL: string; to: string; now: number },
): Promise<Record<Language, number>> {
  const samples = samplesOf(PUBLIC_URL, to, now);
  const count = Object.fromEntries(LANGUAGES.map((language) => [language, 0])) as Record<Language, number>;
  for (const language of LANGUAGES) {
    for (const [name, mails] of Object.entries(samples)) {
      const send = mailer[name as keyof Samples] as (to: Recipient, ...mail: unknown[]) => Promise<void>;
      for (const mail of mails) await send({ email: to, language }, ...mail);
      count[language] += mails.length;
    }
  }
  return count;
}
