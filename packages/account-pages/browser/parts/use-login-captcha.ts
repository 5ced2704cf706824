import { useState } from 'preact/hooks';
import { config } from '../config.ts';
import { ApiError } from '../gate.ts';
import { html } from '../html.ts';
import { Captcha } from './captcha.ts';

/** The CAPTCHA of a login form: always there, or once a login has been refused without it. */
export function useLoginCaptcha() {
  const [isDue, setDue] = useState(config.CAPTCHA_ON_CATALOGUE_LOGIN === 'always');
  const [attempt, setAttempt] = useState(0);
  const [goesOn, setGoesOn] = useState(false);
  return {
    /** @param token the token of the refused login; it serves one attempt. */
    renew(error: unknown, token: string) {
      const isAsked = error instanceof ApiError && error.code === 'CAPTCHA_REQUIRED';
      if (isAsked) setDue(true);
      setGoesOn(isAsked && token === ''); // a token that was refused must not lead to another attempt by itself
      setAttempt(attempt + 1);
    },
    widget: isDue && html`<${Captcha} key=${attempt} goesOn=${goesOn} />`,
  };
}
