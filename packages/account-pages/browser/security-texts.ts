import { texts as account } from './account-texts.ts';
import { language } from './config.ts';

export * from './account-texts.ts';

const module =
  language === 'de' ? await import('./texts/de-security.ts') : await import('./texts/en-security.ts');

/** Every text of the pages, those of what protects an account too. */
export const texts = { ...account, ...module.texts };
