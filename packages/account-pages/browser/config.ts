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
}

const meta = document.querySelector<HTMLMetaElement>('meta[name=gatehouse]');

export const config: BrowserConfig = JSON.parse(meta?.content ?? '{}');

export const language = document.documentElement.lang;
