import Negotiator from 'negotiator';

/** The languages of pages and mails. */
export const LANGUAGES = ['en', 'de', 'es'] as const;
export type Language = (typeof LANGUAGES)[number];

export const isLanguage = (value: unknown): value is Language => LANGUAGES.some((known) => known === value);

/** Returns the language of ours that a reader prefers, English by default (RFC 9110 §12.5.4). */
export function languageOf(acceptLanguage = ''): Language {
  const preferred = new Negotiator({ headers: { 'accept-language': acceptLanguage } }).languages();
  return preferred.map(ours).find((language) => language !== undefined) ?? 'en';
}

const ours = (tag: string) => LANGUAGES.find((language) => language === tag.split('-')[0]?.toLowerCase());
