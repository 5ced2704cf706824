import { texts as account } from './account-texts.ts';
import { language } from './config.ts';

export * from './account-texts.ts';

const module =
  language === 'de' ? await import('./texts/de-organization.ts') : await import('./texts/en-organization.ts');

/** The texts of an account's pages, those of an organization too. */
export const texts = { ...account, ...module.texts };
