import { useState } from 'preact/hooks';
import { html } from '../html.ts';
import { Button } from '../parts/button.ts';
import { Notice } from '../parts/notice.ts';
import { useData } from '../parts/use-data.ts';
import { showAccount } from '../sign-in-calls.ts';
import { adoptSupportSession, declineSupportSession, replacesSession } from '../support-session.ts';
import { texts } from '../texts.ts';

/** Adopts the session of a support link (spec §Authentication 9), and asks first if it replaces another one. */
export default function Support() {
  const [isAsking, setAsking] = useState(replacesSession);
  if (!isAsking) return html`<${Adoption} />`;
  return html`
    <h1>${texts.support.replaceTitle}</h1>
    <p>${texts.support.replaces}</p>
    <div class="choice">
      <${Button} onClick=${declineSupportSession}>${texts.support.decline}<//>
      <${Button} kind="primary" onClick=${() => setAsking(false)}>${texts.support.open}<//>
    </div>
  `;
}

function Adoption() {
  const { error } = useData('support', async () => {
    await adoptSupportSession();
    showAccount();
  });
  return html`
    <h1>${texts.titles.support}</h1>
    ${
      error
        ? html`
            <${Notice} kind="error">${error.message}<//>
            <a class="button secondary" href="/">${texts.titles['sign-in']}</a>
          `
        : html`<p role="status">${texts.support.checking}</p><div class="skeleton"></div>`
    }
  `;
}
