import type { Language } from '@gatehouse/shared/http/language';
import { texts as account } from './account-texts.ts';
import { language } from './config.ts';
import type { OrganizationTexts } from './texts/en-organization.ts';

export * from './account-texts.ts';

const IMPORTS: Record<Language, () => Promise<{ texts: OrganizationTexts }>> = {
  en: () => import('./texts/en-organization.ts'),
  de: () => import('./texts/de-organization.ts'),
  es: () => import('./texts/es-organization.ts'),
};

const module = await IMPORTS[language]();

/** The texts of an account's pages, those of an organization too. */
export const texts = { ...account, ...module.texts };
