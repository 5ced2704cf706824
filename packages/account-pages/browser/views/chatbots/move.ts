import { texts } from '../../account-texts.ts';
import { html } from '../../html.ts';
import { Dialog } from '../../parts/dialog.ts';
import { Form } from '../../parts/form.ts';
import { PlaceInputs } from '../organization/place-inputs.ts';

const words = texts.chatbots;

/** Asks where a chatbot moves: to a department, or to the reader. */
export const MoveChatbot = ({
  onMove,
  onClose,
}: {
  onMove: (department: string | null) => Promise<void>;
  onClose: () => void;
}) => html`
  <${Dialog} title=${words.move} onClose=${onClose}>
    <p>${words.moveHint}</p>
    <${Form} submit=${texts.actions.moveChatbot} onSubmit=${({ department_id }: Record<string, string>) => onMove(department_id || null)}>
      <${PlaceInputs} />
    <//>
  <//>
`;
