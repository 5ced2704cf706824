import { useState } from 'preact/hooks';
import { arrival } from '../arrival.ts';
import { postAnonymously } from '../gate.ts';
import { html } from '../html.ts';
import { Form } from '../parts/form.ts';
import { Notice } from '../parts/notice.ts';
import { rememberEmail } from '../remembered-email.ts';
import { endSession } from '../session.ts';
import { texts } from '../visitor-texts.ts';

/** Where the notice of a changed address leads: gives the account its old address back. */
export default function UndoEmail() {
  const [isDone, setDone] = useState(false);
  const undo = async () => {
    await postAnonymously('/api/v1/users/email/undo', { token: arrival.undo ?? '' });
    // The undo has ended every session of the account: perhaps the one of this tab.
    endSession('expired');
    rememberEmail('');
    setDone(true);
  };
  return html`
    <h1>${texts.titles['undo-email']}</h1>
    ${
      isDone
        ? html`
          <${Notice} kind="success">${texts.undoEmail.done}<//>
          <a class="button primary" href="/forgot" data-page>${texts.titles.forgot}</a>
        `
        : html`
          <p>${arrival.undo ? texts.undoEmail.explanation : texts.undoEmail.incomplete}</p>
          ${arrival.undo && html`<${Form} submit=${texts.undoEmail.submit} onSubmit=${undo} />`}
        `
    }
  `;
}
