import type { Language } from '@gatehouse/shared/http/language';
import { language } from './config.ts';
import type { VisitorTexts } from './texts/en-visitor.ts';
import { texts as shared } from './texts.ts';

export * from './texts.ts';

const IMPORTS: Record<Language, () => Promise<{ texts: VisitorTexts }>> = {
  en: () => import('./texts/en-visitor.ts'),
  de: () => import('./texts/de-visitor.ts'),
  es: () => import('./texts/es-visitor.ts'),
};

const module = await IMPORTS[language]();

/** Every text of the pages for somebody who is not signed in. Modules that every visit loads import `texts.ts` instead. */
export const texts = { ...shared, ...module.texts };
