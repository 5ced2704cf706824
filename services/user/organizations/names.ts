import { line } from '@gatehouse/shared/http/fields';

/** Characters without a visible form: zero width, fillers, variation selectors, tags, the blank Braille pattern. */
export const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\p{Cf}\u2800]/gu;

/**
 * Removes emoji, whose sequences hold joiners and selectors, and the joiners that Arabic and Indic words are spelled
 * with. The expression is in the function, because parsing it takes 20 ms.
 */
const withoutEmojiAndJoiners = (name: string): string =>
  name.replace(
    /\p{RGI_Emoji}|(?<=[\p{Script=Arabic}\p{M}])[\u200c\u200d](?=[\p{L}--[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}]])/gv,
    '',
  );

const hasInvisible = (name: string): boolean => name.search(INVISIBLE) !== -1;

/** Text that mail programs turn into links: schemes, host names, IPv4 addresses, e-mail addresses and UNC paths. */
const LINK = [
  /:\/\//u,
  /\b(?:https?|ftp|mailto|tel|sms):\S/iu,
  /[^\s.\u3002][.\u3002]\p{L}[\p{L}\p{N}\p{M}-]/u,
  /\d{1,3}(?:\.\d{1,3}){3}/u,
  /\\\\\w/u,
];

const hasLink = (name: string): boolean => LINK.some((link) => link.test(name.normalize('NFKC')));

/** The name of an organization or department. It appears in mails to strangers, so it must not be a link. */
export const name = line(200)
  .refine((given) => !hasInvisible(given) || !hasInvisible(withoutEmojiAndJoiners(given)), {
    error: 'must not contain invisible characters',
    abort: true,
  })
  .refine((given) => !hasLink(given), { error: 'must not contain a link or an address' });

/** A stored name as a mail shows it. A name from before these rules is withheld if it breaks them. */
export const nameInMail = (stored: string): string =>
  name.safeParse(stored).success ? stored : '(name withheld)';
