import { texts } from '../account-texts.ts';
import { html } from '../html.ts';
import { Button } from './button.ts';
import { Dialog } from './dialog.ts';
import { Secret } from './secret.ts';

/** Shows a secret the only time that it can be seen. */
export const SecretDialog = ({
  words = texts.secret,
  secret,
  onClose,
}: {
  words?: { title: string; once: string; label: string };
  secret: string;
  onClose: () => void;
}) => html`
  <${Dialog} title=${words.title} onClose=${onClose}>
    <p>${words.once}</p>
    <${Secret} label=${words.label} value=${secret} />
    <${Button} kind="primary" onClick=${onClose}>${texts.secret.done}<//>
  <//>
`;
