import type { Language } from '@gatehouse/shared/http/language';
import { language } from './config.ts';
import type { AccountTexts } from './texts/en-account.ts';
import { texts as shared } from './texts.ts';

export * from './texts.ts';

const IMPORTS: Record<Language, () => Promise<{ texts: AccountTexts }>> = {
  en: () => import('./texts/en-account.ts'),
  de: () => import('./texts/de-account.ts'),
  es: () => import('./texts/es-account.ts'),
};

const module = await IMPORTS[language]();

/** Every text of the pages, those of an account too. Modules of the first visit import `texts.ts` instead. */
export const texts = { ...shared, ...module.texts };
