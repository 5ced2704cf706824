import { language } from './config.ts';
import { texts as shared } from './texts.ts';

export * from './texts.ts';

const module =
  language === 'de' ? await import('./texts/de-account.ts') : await import('./texts/en-account.ts');

/** Every text of the pages, those of an account too. Modules of the first visit import `texts.ts` instead. */
export const texts = { ...shared, ...module.texts };
