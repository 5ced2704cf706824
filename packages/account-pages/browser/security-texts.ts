import type { Language } from '@gatehouse/shared/http/language';
import { texts as account } from './account-texts.ts';
import { language } from './config.ts';
import type { SecurityTexts } from './texts/en-security.ts';
import { texts as visitor } from './visitor-texts.ts';

export * from './account-texts.ts';

const IMPORTS: Record<Language, () => Promise<{ texts: SecurityTexts }>> = {
  en: () => import('./texts/en-security.ts'),
  de: () => import('./texts/de-security.ts'),
  es: () => import('./texts/es-security.ts'),
};

const module = await IMPORTS[language]();

/** Every text of the pages, those of signing in and of what protects an account too. */
export const texts = { ...visitor, ...account, ...module.texts };
