import type { Language } from '@gatehouse/shared/http/language';

/** A provider at which people sign in. */
export interface Provider {
  name: string;
  label: string;
}

/** The ways in that are on (`GET /api/v1/auth/ways`). */
interface Ways {
  passkey: boolean;
  code: boolean;
  /** In the operator's order. */
  providers: Provider[];
  sign_in: 'password' | 'email-first';
}

/** What the server tells the pages, in a meta element of the document. */
interface BrowserConfig {
  BRAND_NAME: string;
  /** The team's logo, or the path of ours. */
  logo: string;
  CAPTCHA_PROVIDER: 'recaptcha' | 'hcaptcha' | 'turnstile' | 'altcha' | 'none';
  CAPTCHA_ON_CATALOGUE_LOGIN: 'after-failures' | 'always' | 'never';
  CAPTCHA_SITE_KEY?: string;
  CAPTCHA_ACTION?: string;
  /** The paths of the ALTCHA widget's worker and stylesheet, if it is the provider. */
  altcha?: { worker: string; style: string };
  ways: Ways;
}

const meta = document.querySelector<HTMLMetaElement>('meta[name=gatehouse]');

export const config: BrowserConfig = JSON.parse(meta?.content ?? '{}');

/** The server sends pages in its languages only. */
export const language = document.documentElement.lang as Language;

/** Whether passkeys are on and this browser has them. It has none where the page is not served over HTTPS. */
export const hasPasskeys = (): boolean => config.ways.passkey && 'PublicKeyCredential' in globalThis;
