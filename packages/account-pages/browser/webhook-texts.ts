import type { Language } from '@gatehouse/shared/http/language';
import { texts as account } from './account-texts.ts';
import { language } from './config.ts';
import type { WebhooksTexts } from './texts/en-webhooks.ts';

export * from './account-texts.ts';

const IMPORTS: Record<Language, () => Promise<{ texts: WebhooksTexts }>> = {
  en: () => import('./texts/en-webhooks.ts'),
  de: () => import('./texts/de-webhooks.ts'),
  es: () => import('./texts/es-webhooks.ts'),
};

const module = await IMPORTS[language]();

/** The texts of an account's pages, those of webhooks too. */
export const texts = { ...account, ...module.texts };
