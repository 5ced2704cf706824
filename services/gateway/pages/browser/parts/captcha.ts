import { config, language } from '../config.ts';
import { html } from '../html.ts';
import { texts } from '../texts.ts';
import { Notice } from './notice.ts';

/** The widget of the configured provider. It fills the hidden field `recaptcha_token` of the form around it. */
export function Captcha() {
  return html`<${Notice} kind="info">${texts.signIn.captcha} ${config.CAPTCHA_PROVIDER} ${language}<//>`;
}
