import { html } from '../../html.ts';
import { ActionButton } from '../../parts/action-button.ts';
import type { Result } from '../../parts/result.ts';
import { saveFile } from '../../parts/save-file.ts';
import { Section } from '../../parts/section.ts';
import { texts } from '../../security-texts.ts';

const { ownData } = texts;

/** Saves everything that the account keeps about the person as one file. */
export function DownloadData({ result }: { result: Result }) {
  const save = async () => {
    await saveFile('/api/v1/users/me/data', 'my-data.json');
    return ownData.downloaded;
  };
  return html`
    <${Section}
      title=${ownData.title}
      actions=${html`<${ActionButton} run=${save} result=${result}>${ownData.action}<//>`}
    >
      <p class="hint">${ownData.hint}</p>
    <//>
  `;
}
