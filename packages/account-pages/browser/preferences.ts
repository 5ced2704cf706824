import type { Language } from '@gatehouse/shared/http/language';
import { language } from './config.ts';

export const THEMES = ['light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

const LANGUAGE_NAMES: Record<Language, string> = { en: 'English', de: 'Deutsch', es: 'Español' };

/** The languages of the pages, each by its own name. */
export const LANGUAGES = Object.entries(LANGUAGE_NAMES);

const ONE_YEAR = 31_536_000;

/** Keeps a choice of the reader in a cookie, so that the server sends the next page in it; an empty value forgets it. */
function keep(name: 'theme' | 'language', value: string): void {
  const secure = location.protocol === 'https:' ? '; Secure' : '';
  const age = value === '' ? 0 : ONE_YEAR;
  // biome-ignore lint/suspicious/noDocumentCookie: Firefox and Safari got the Cookie Store API only in 2025
  document.cookie = `${name}=${value}; Path=/; Max-Age=${age}; SameSite=Lax${secure}`;
}

const element = <T extends Element>(selector: string): T | null => document.querySelector<T>(selector);

/** Undefined follows the device. */
export function chosenTheme(): Theme | undefined {
  const scheme = element<HTMLMetaElement>('meta[name=color-scheme]')?.content;
  return THEMES.find((theme) => theme === scheme);
}

/** Shows the page in a theme, and those that follow. */
export function chooseTheme(theme: Theme | undefined): void {
  keep('theme', theme ?? '');
  element<HTMLMetaElement>('meta[name=color-scheme]')?.setAttribute('content', theme ?? 'light dark');
  const media = { light: 'not all', dark: 'all' };
  element<HTMLLinkElement>('#dark')?.setAttribute(
    'media',
    theme ? media[theme] : '(prefers-color-scheme: dark)',
  );
}

/** Loads the page again in another language. */
export function chooseLanguage(chosen: string): void {
  if (chosen === language) return;
  keep('language', chosen);
  location.reload();
}

/** Whether the page is dark at the moment. */
export const isDark = (): boolean => {
  const theme = chosenTheme();
  return theme ? theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
};
