import { config, language } from '../config.ts';
import { isDark } from '../preferences.ts';
import type { ShowWidget } from './captcha-widget.ts';

/** The part of the providers' scripts that we call; all three have it. */
interface Widgets {
  render(element: HTMLElement, options: Record<string, unknown>): unknown;
}

/** Each provider's script, which calls the function that `onload` names, and the global that it sets. */
const SCRIPTS = {
  recaptcha: ['https://www.google.com/recaptcha/api.js', 'grecaptcha'],
  hcaptcha: ['https://js.hcaptcha.com/1/api.js', 'hcaptcha'],
  turnstile: ['https://challenges.cloudflare.com/turnstile/v0/api.js', 'turnstile'],
} as const;

const READY = 'onCaptchaScript';
const globals = globalThis as unknown as Record<string, unknown>;
let loading: Promise<Widgets> | undefined;

function loadScript(provider: keyof typeof SCRIPTS): Promise<Widgets> {
  const [url, name] = SCRIPTS[provider];
  loading ??= new Promise<Widgets>((resolve, reject) => {
    globals[READY] = () => resolve(globals[name] as Widgets);
    const query = new URLSearchParams({ render: 'explicit', onload: READY, hl: language });
    const script = Object.assign(document.createElement('script'), { src: `${url}?${query}`, async: true });
    script.addEventListener('error', () => {
      script.remove();
      loading = undefined; // the next attempt loads it again
      reject(new Error(`${url} cannot be loaded`));
    });
    document.head.append(script);
  });
  return loading;
}

/** The widget of a provider on the internet, from the provider's own script. */
export const showHosted: ShowWidget = async (element, onToken, onError) => {
  const provider = config.CAPTCHA_PROVIDER;
  if (provider === 'altcha' || provider === 'none') throw new Error('this provider has no script');
  const widgets = await loadScript(provider);
  // The providers cannot be asked to remove a widget; the element around it goes.
  const place = element.appendChild(document.createElement('div'));
  widgets.render(place, {
    sitekey: config.CAPTCHA_SITE_KEY,
    // Only Turnstile's widget has an action: https://developers.cloudflare.com/turnstile/get-started/client-side-rendering/
    ...(config.CAPTCHA_ACTION !== undefined && { action: config.CAPTCHA_ACTION }),
    theme: isDark() ? 'dark' : 'light',
    language,
    callback: onToken,
    'expired-callback': () => onToken(''),
    'error-callback': onError,
  });
  return () => place.remove();
};
