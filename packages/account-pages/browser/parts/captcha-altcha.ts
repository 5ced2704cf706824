import 'altcha/external';
import { config, language } from '../config.ts';
import type { ShowWidget } from './captcha-widget.ts';

const { worker, style } = config.altcha ?? { worker: '', style: '' };
globalThis.$altcha.algorithms.set('PBKDF2/SHA-256', () => new Worker(worker));
if (language === 'de') await import('altcha/i18n/de');

/** The ALTCHA widget: a proof of work that this browser solves by itself. Its workers come from this host. */
export const showAltcha: ShowWidget = async (element, onToken, onError) => {
  await loadStyle();
  const widget = document.createElement('altcha-widget');
  widget.addEventListener('statechange', (event) => {
    const { state, payload } = (event as CustomEvent<{ state: string; payload: string | null }>).detail;
    onToken(state === 'verified' ? (payload ?? '') : '');
    if (state === 'error') onError();
  });
  Object.assign(widget, { challenge: '/captcha/challenge', auto: 'onload', language, name: 'altcha' });
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
