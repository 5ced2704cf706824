import type { Language } from '@gatehouse/shared/http/language';
import { language } from './config.ts';
import type { Texts } from './texts/en.ts';

/** The server finds the modules by their literal names. */
const IMPORTS: Record<Language, () => Promise<{ texts: Texts }>> = {
  en: () => import('./texts/en.ts'),
  de: () => import('./texts/de.ts'),
  es: () => import('./texts/es.ts'),
};

const module = await IMPORTS[language]();

/** Every text of the pages in the reader's language. */
export const texts: Texts = module.texts;

/** Dates and numbers follow the reader's own locale as far as it is of the page's language. */
export const locale = navigator.languages.find((tag) => tag.startsWith(language)) ?? language;

export const formatDate = (iso: string): string =>
  new Intl.DateTimeFormat(locale, { dateStyle: 'medium' }).format(new Date(iso));

export const formatDateTime = (iso: string): string =>
  new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' }).format(new Date(iso));

/** A time to the second. */
export const formatTimestamp = (iso: string): string =>
  new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'medium' }).format(new Date(iso));

export const formatTime = (at: number): string =>
  new Intl.DateTimeFormat(locale, { timeStyle: 'medium' }).format(at);

const UNITS = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const;

/** For example `5 minutes ago`, in a cell of its own. */
export function formatAgo(iso: string): string {
  const seconds = Math.max(0, (Date.now() - Date.parse(iso)) / 1000);
  const [unit, length] = UNITS.find(([, size]) => seconds >= size) ?? (['second', 60] as const);
  const format = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' });
  const text = format.format(-Math.floor(seconds / length), unit);
  return text.charAt(0).toLocaleUpperCase(locale) + text.slice(1);
}

/** For example `42 seconds`, `5 minutes` or `3 hours`, rounded up. */
export function formatWait(seconds: number): string {
  const [unit, length] = UNITS.find(([name, size]) => name !== 'day' && seconds >= 2 * size) ?? ['second', 1];
  const format = new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'long' });
  return format.format(Math.ceil(seconds / length));
}

const SIZES = ['byte', 'kilobyte', 'megabyte', 'gigabyte'] as const;

/** For example `41.9 kB`. @param bytes at least 0. */
export function formatSize(bytes: number): string {
  const power = Math.min(SIZES.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3));
  const format = new Intl.NumberFormat(locale, {
    style: 'unit',
    unit: SIZES[power] ?? 'byte',
    unitDisplay: power === 0 ? 'long' : 'short',
    maximumFractionDigits: 1,
  });
  return format.format(bytes / 1000 ** power);
}

export const formatNumber = (value: number): string => new Intl.NumberFormat(locale).format(value);

/** For example `0:42`. @param seconds at least 0. */
export const formatCountdown = (seconds: number): string =>
  `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
