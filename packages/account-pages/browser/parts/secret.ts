import { useState } from 'preact/hooks';
import { texts } from '../account-texts.ts';
import { html } from '../html.ts';
import { Button } from './button.ts';

/** A secret that is shown once, with a button that copies it. */
export function Secret({ label, value }: { label: string; value: string }) {
  const [copied, setCopied] = useState<boolean>();
  const copy = async () => {
    // Browsers offer the clipboard to secure contexts only; elsewhere the reader copies the selected text.
    const isCopied = await navigator.clipboard?.writeText(value).then(
      () => true,
      () => false,
    );
    setCopied(isCopied ?? false);
    if (!isCopied) getSelection()?.selectAllChildren(document.querySelector('.secret code') as Element);
  };
  return html`
    <div class="secret">
      <p class="label">${label}</p>
      <code>${value}</code>
      <${Button} onClick=${copy}>${texts.secret.copy}<//>
      <p role="status" class="hint">${copied === undefined ? '' : copied ? texts.secret.copied : texts.secret.selected}</p>
    </div>
  `;
}
