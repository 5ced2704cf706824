/** What the server tells the pages, in a meta element of the document. */
interface BrowserConfig {
  BRAND_NAME: string;
  BRAND_LOGO_URL?: string;
  CAPTCHA_PROVIDER: 'recaptcha' | 'hcaptcha' | 'turnstile' | 'altcha' | 'none';
  CAPTCHA_ON_CATALOGUE_LOGIN: 'after-failures' | 'always' | 'never';
  CAPTCHA_SITE_KEY?: string;
  /** The path of the ALTCHA widget. */
  altcha: string;
}

const meta = document.querySelector<HTMLMetaElement>('meta[name=gatehouse]');

export const config: BrowserConfig = JSON.parse(meta?.content ?? '{}');

export const language = document.documentElement.lang;
