import { useContext, useEffect, useRef, useState } from 'preact/hooks';
import { config } from '../config.ts';
import { html } from '../html.ts';
import { texts } from '../texts.ts';
import { Button } from './button.ts';
import type { ShowWidget } from './captcha-widget.ts';
import { FieldErrors } from './field.ts';

/** Each provider's widget is loaded when a form needs it. */
const load = async (): Promise<ShowWidget> =>
  config.CAPTCHA_PROVIDER === 'altcha'
    ? (await import('./captcha-altcha.ts')).showAltcha
    : (await import('./captcha-hosted.ts')).showHosted;

/** The widget of the configured provider. It fills the hidden field `recaptcha_token` of the form around it. */
export function Captcha({
  goesOn = false,
}: {
  /** Whether a solved challenge submits the form, unless somebody has changed a field meanwhile. */
  goesOn?: boolean;
}) {
  const place = useRef<HTMLDivElement>(null);
  const isChanged = useRef(false);
  const [token, setToken] = useState('');
  const [failed, setFailed] = useState(false);
  const [attempt, setAttempt] = useState(0);
  const error = useContext(FieldErrors).recaptcha_token;
  useEffect(() => {
    let remove = () => {};
    let isGone = false;
    const fail = () => {
      setToken('');
      setFailed(true);
    };
    const show = async () => {
      const element = place.current;
      if (!element) return;
      const shown = await (await load())(element, setToken, fail);
      if (isGone) shown();
      else remove = shown;
    };
    show().catch(fail);
    return () => {
      isGone = true;
      remove();
    };
  }, [attempt]);
  useEffect(() => {
    const form = place.current?.closest('form');
    const change = () => {
      isChanged.current = true;
    };
    form?.addEventListener('input', change);
    return () => form?.removeEventListener('input', change);
  }, []);
  useEffect(() => {
    if (token && goesOn && !isChanged.current) place.current?.closest('form')?.requestSubmit();
  }, [token]);
  const retry = () => {
    setFailed(false);
    setAttempt(attempt + 1);
  };
  return html`
    <div class="captcha" role="group" aria-label=${texts.captcha.label}>
      <div ref=${place} key=${attempt} hidden=${failed}></div>
      <input type="hidden" name="recaptcha_token" value=${token} />
      ${
        failed &&
        html`
          <p class="error" role="alert">${texts.captcha.failed}</p>
          <${Button} onClick=${retry}>${texts.table.retry}<//>
        `
      }
      ${error && !token && !failed && html`<p class="error" role="alert">${error}</p>`}
    </div>
  `;
}
