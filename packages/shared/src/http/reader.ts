import type { IncomingHttpHeaders } from 'node:http';
import { parseCookie } from 'cookie';
import { isLanguage, type Language, languageOf } from './language.ts';

export const THEMES = ['light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

/** How somebody wants pages to be shown. */
export interface Reader {
  language: Language;
  /** Undefined follows the device. */
  theme: Theme | undefined;
}

/** The request headers that `readerOf` reads, for `Vary`. */
export const READER_HEADERS = 'accept-language, cookie';

/** Returns what the reader has chosen in the menu of the account pages, which keeps it in cookies, or what their browser prefers. */
export function readerOf(headers: IncomingHttpHeaders): Reader {
  const { language, theme } = parseCookie(headers.cookie ?? '');
  return {
    language: isLanguage(language) ? language : languageOf(headers['accept-language']),
    theme: THEMES.find((known) => known === theme),
  };
}

/** The content of `<meta name="color-scheme">`. */
export const colorScheme = (theme: Theme | undefined): string => theme ?? 'light dark';

/** The media query under which the dark colors apply. */
export const darkMedia = (theme: Theme | undefined): string =>
  theme === undefined ? '(prefers-color-scheme: dark)' : theme === 'dark' ? 'all' : 'not all';
