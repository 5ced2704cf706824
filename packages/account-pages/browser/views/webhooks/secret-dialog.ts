import { texts } from '../../account-texts.ts';
import { html } from '../../html.ts';
import { Button } from '../../parts/button.ts';
import { Dialog } from '../../parts/dialog.ts';
import { Secret } from '../../parts/secret.ts';

/** Shows a secret the only time that it can be seen. */
export const SecretDialog = ({ secret, onClose }: { secret: string; onClose: () => void }) => html`
  <${Dialog} title=${texts.secret.title} onClose=${onClose}>
    <p>${texts.secret.once}</p>
    <${Secret} label=${texts.secret.label} value=${secret} />
    <${Button} kind="primary" onClick=${onClose}>${texts.secret.done}<//>
  <//>
`;
