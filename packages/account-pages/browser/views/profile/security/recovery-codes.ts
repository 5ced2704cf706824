import { useState } from 'preact/hooks';
import { html } from '../../../html.ts';
import { Button } from '../../../parts/button.ts';
import { Dialog } from '../../../parts/dialog.ts';
import type { Result } from '../../../parts/result.ts';
import { saveBlob } from '../../../parts/save-file.ts';
import { texts } from '../../../security-texts.ts';
import { endOtherSessions } from './calls.ts';

const { app } = texts.security;

/** Shows recovery codes once, to be kept, and offers to end the other sessions. */
export function RecoveryCodes({
  codes,
  result,
  onClose,
}: {
  codes: string[];
  result: Result;
  onClose: () => void;
}) {
  const [copied, setCopied] = useState(false);
  const text = codes.join('\n');
  const copy = () => navigator.clipboard?.writeText(text).then(() => setCopied(true));
  const endOthers = async () => {
    await endOtherSessions().then(() => result.succeed(texts.sessions.othersEnded), result.fail);
    onClose();
  };
  return html`
    <${Dialog} title=${app.keepCodes} onClose=${onClose}>
      <p>${app.keepExplanation}</p>
      <ol class="recovery-codes">${codes.map((code) => html`<li><code>${code}</code></li>`)}</ol>
      <div class="choice">
        <${Button} onClick=${copy}>${texts.secret.copy}<//>
        <${Button} onClick=${() => saveBlob(new Blob([text]), 'recovery-codes.txt')}>${app.download}<//>
      </div>
      <p role="status" class="hint">${copied ? texts.secret.copied : ''}</p>
      <div class="choice">
        <${Button} onClick=${endOthers}>${texts.sessions.endOthersAction}<//>
        <${Button} kind="primary" onClick=${onClose}>${app.kept}<//>
      </div>
    <//>
  `;
}
