import 'altcha/external';
import type { Language } from '@gatehouse/shared/http/language';
import { config, language } from '../config.ts';
import type { ShowWidget } from './captcha-widget.ts';

const { worker, style } = config.altcha ?? { worker: '', style: '' };
globalThis.$altcha.algorithms.set('PBKDF2/SHA-256', () => new Worker(worker));

/** The widget itself is in English. */
const TRANSLATIONS: Record<Exclude<Language, 'en'>, () => Promise<unknown>> = {
  de: () => import('altcha/i18n/de'),
  // @ts-expect-error the package types this module as `es`
  es: () => import('altcha/i18n/es-es'),
};
const widgetLanguage = language === 'es' ? 'es-es' : language;
if (language !== 'en') await TRANSLATIONS[language]();

/** The ALTCHA widget: a proof of work that this browser solves by itself. Its workers come from this host. */
export const showAltcha: ShowWidget = async (element, onToken, onError) => {
  await loadStyle();
  const widget = document.createElement('altcha-widget');
  widget.addEventListener('statechange', (event) => {
    const { state, payload } = (event as CustomEvent<{ state: string; payload: string | null }>).detail;
    onToken(state === 'verified' ? (payload ?? '') : '');
    if (state === 'error') onError();
  });
  Object.assign(widget, {
    challenge: '/captcha/challenge',
    auto: 'onload',
    language: widgetLanguage,
    name: 'altcha',
  });
  widget.configuration = JSON.stringify({
    hideFooter: true,
    hideLogo: true,
    humanInteractionSignature: false,
    minDuration: 0,
  });
  element.append(widget);
  return () => widget.remove();
};

async function loadStyle(): Promise<void> {
  if (document.querySelector(`link[href="${style}"]`)) return;
  const link = Object.assign(document.createElement('link'), { rel: 'stylesheet', href: style });
  const loaded = new Promise((resolve, reject) => Object.assign(link, { onload: resolve, onerror: reject }));
  document.head.prepend(link); // before ours, which adapts it
  await loaded;
}
