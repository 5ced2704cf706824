import type { Language } from '@gatehouse/shared/http/language';
import { texts as account } from './account-texts.ts';
import { language } from './config.ts';
import type { KeyTexts } from './texts/en-keys.ts';

export * from './account-texts.ts';

const IMPORTS: Record<Language, () => Promise<{ texts: KeyTexts }>> = {
  en: () => import('./texts/en-keys.ts'),
  de: () => import('./texts/de-keys.ts'),
  es: () => import('./texts/es-keys.ts'),
};

const module = await IMPORTS[language]();

/** The texts of an account's pages, those of machine keys too. */
export const texts = { ...account, ...module.texts };
