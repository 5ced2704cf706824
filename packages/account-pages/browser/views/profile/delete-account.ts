import { useState } from 'preact/hooks';
import { ApiError, remove } from '../../gate.ts';
import { html } from '../../html.ts';
import { Button } from '../../parts/button.ts';
import { Confirm } from '../../parts/confirm.ts';
import { Section } from '../../parts/section.ts';
import { texts } from '../../security-texts.ts';
import { endSession } from '../../session.ts';

const { deletion } = texts;

/** Asks for the deletion of the account. A sign-in before the day keeps it. */
export function DeleteAccount({ email }: { email: string }) {
  const [isAsking, setAsking] = useState(false);
  const confirm = async () => {
    await remove('/api/v1/users/me').catch((error: ApiError) => {
      throw withNames(error);
    });
    endSession('deleted');
  };
  return html`
    <${Section}
      title=${deletion.title}
      actions=${html`<${Button} kind="danger" onClick=${() => setAsking(true)}>${deletion.action}<//>`}
    >
      <p class="hint">${deletion.hint}</p>
      ${
        isAsking &&
        html`
          <${Confirm}
            title=${deletion.question}
            action=${deletion.action}
            name=${email}
            onConfirm=${confirm}
            onClose=${() => setAsking(false)}
          >
            ${deletion.explanation}
          <//>
        `
      }
    <//>
  `;
}

/** Names the organizations that need another Owner first. */
function withNames(error: ApiError): ApiError {
  const places = Object.values(error.details).flat() as { name?: string }[];
  const names = places.map(({ name }) => name).filter((name) => name !== undefined);
  return names.length > 0 ? new ApiError(deletion.soleOwner(names.join(', ')), { ...error }) : error;
}
