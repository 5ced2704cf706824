import { texts } from '../../account-texts.ts';
import { html } from '../../html.ts';
import { Dialog } from '../../parts/dialog.ts';
import { Form } from '../../parts/form.ts';
import { PlaceInputs } from '../organization/place-inputs.ts';
import { type Chatbot, createChatbot } from './calls.ts';
import { ChatbotInputs, chatbotFields } from './fields.ts';

const words = texts.chatbots;

/** Asks for a new chatbot: a personal one, or one of a department. */
export function CreateChatbot({
  onCreated,
  onClose,
}: {
  onCreated: (chatbot: Chatbot) => void;
  onClose: () => void;
}) {
  const submit = async ({ department_id, ...fields }: Record<string, string>) => {
    const chatbot = await createChatbot({
      ...chatbotFields(fields),
      ...(department_id && { department_id }),
    });
    onClose();
    onCreated(chatbot);
  };
  return html`
    <${Dialog} title=${words.create} onClose=${onClose}>
      <${Form} submit=${texts.actions.createChatbot} onSubmit=${submit}>
        <${ChatbotInputs} />
        <${PlaceInputs} />
      <//>
    <//>
  `;
}
