import { ipOf } from '@gatehouse/shared/http/address';
import { deviceNames } from '@gatehouse/shared/identity/device';
import type { Notice } from '@gatehouse/shared/identity/notice-records';
import type { MailText, MailTexts, NoticeText, Pages } from './mails.ts';

/** The mail of a notice: what happened, when and from where, and what to do if it was not the recipient. */
export function noticeMail(
  { kind, at, from, details }: Notice,
  { notices, circumstances }: MailTexts,
  pages: Pages,
): MailText {
  const textFor = notices[kind] as (details: Notice['details'], pages: Pages) => NoticeText;
  const { subject, happened, otherwise, then } = textFor(details, pages);
  const facts = factsOf({ at, from }, circumstances);
  return { subject, content: [happened, { facts }, otherwise, ...(then ? [then] : [])] };
}

function factsOf(
  { at, from }: Pick<Notice, 'at'> & { from: Notice['from'] | undefined },
  { time, timeOf, device, deviceOf, address, unknown }: MailTexts['circumstances'],
): [string, string][] {
  const when: [string, string] = [time, timeOf(at)];
  if (!from) return [when];
  // Names that we know, and no text that the client chose.
  const { browser, os } = deviceNames(from.device);
  const name = browser && os ? deviceOf(browser, os) : (browser ?? os ?? unknown);
  return [when, [device, name], [address, ipOf(from.address) ?? unknown]];
}
