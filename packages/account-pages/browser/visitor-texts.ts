import { language } from './config.ts';
import { texts as shared } from './texts.ts';

export * from './texts.ts';

const module =
  language === 'de' ? await import('./texts/de-visitor.ts') : await import('./texts/en-visitor.ts');

/** Every text of the pages for somebody who is not signed in. Modules that every visit loads import `texts.ts` instead. */
export const texts = { ...shared, ...module.texts };
