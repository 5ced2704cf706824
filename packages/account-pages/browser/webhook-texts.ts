import { texts as account } from './account-texts.ts';
import { language } from './config.ts';

export * from './account-texts.ts';

const module =
  language === 'de' ? await import('./texts/de-webhooks.ts') : await import('./texts/en-webhooks.ts');

/** The texts of an account's pages, those of webhooks too. */
export const texts = { ...account, ...module.texts };
