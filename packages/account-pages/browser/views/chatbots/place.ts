import { texts } from '../../account-texts.ts';
import { html } from '../../html.ts';
import { currentSession } from '../../session.ts';
import { PlaceName } from '../organization/place-name.ts';
import type { Chatbot } from './calls.ts';

/** To whom a chatbot belongs. */
export const ChatbotPlace = ({
  chatbot: { organization_id, department_id, owner_id },
}: {
  chatbot: Chatbot;
}) => {
  if (organization_id !== null)
    return html`<${PlaceName} organization=${organization_id} department=${department_id} />`;
  return owner_id === currentSession()?.userId ? texts.chatbots.personal : texts.chatbots.personalOf;
};
