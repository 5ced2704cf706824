import { texts as account } from './account-texts.ts';
import { language } from './config.ts';
import { texts as visitor } from './visitor-texts.ts';

export * from './account-texts.ts';

const module =
  language === 'de' ? await import('./texts/de-security.ts') : await import('./texts/en-security.ts');

/** Every text of the pages, those of signing in and of what protects an account too. */
export const texts = { ...visitor, ...account, ...module.texts };
