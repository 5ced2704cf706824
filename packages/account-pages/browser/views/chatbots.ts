import { html } from '../html.ts';
import { ResultToast, useResult } from '../parts/result.ts';
import { useQuery } from '../router.ts';
import { Chatbot } from './chatbots/chatbot.ts';
import { ChatbotList } from './chatbots/list.ts';

/** The list of chatbots, or the one that the address names. */
export default function Chatbots() {
  const id = useQuery().get('chatbot');
  const result = useResult();
  return html`
    ${id ? html`<${Chatbot} key=${id} id=${id} result=${result} />` : html`<${ChatbotList} result=${result} />`}
    <${ResultToast} result=${result} />
  `;
}
