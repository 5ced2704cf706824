import { texts as account } from './account-texts.ts';
import { language } from './config.ts';

export * from './account-texts.ts';

const module = language === 'de' ? await import('./texts/de-keys.ts') : await import('./texts/en-keys.ts');

/** The texts of an account's pages, those of machine keys too. */
export const texts = { ...account, ...module.texts };
