import { html } from '../../html.ts';
import { LoadFailure } from '../../parts/load-failure.ts';
import { useData } from '../../parts/use-data.ts';
import { texts } from '../../webhook-texts.ts';
import { listChatbots } from '../chatbots/calls.ts';

const words = texts.webhooks;
const PREFIX = 'chatbot:';

/** The choice of the chatbots that a webhook hears; none for all. At most 100 chatbots of the place are offered. */
export function ChatbotInputs({
  organization,
  department,
  chosen = [],
}: {
  organization: string;
  department: string;
  chosen?: readonly string[] | undefined;
}) {
  const query = new URLSearchParams({ limit: '100', sort_by: 'name', order: 'asc' });
  if (department) query.set('department_id', department);
  else if (organization) query.set('organization_id', organization);
  const loaded = useData(query.toString(), () => listChatbots(query.toString()));
  const offered = loaded.data?.data ?? [];
  const names = new Map([
    ...chosen.map((id) => [id, id] as const),
    ...offered.map((each) => [each.chatbot_id, each.name] as const),
  ]);
  return html`
    <fieldset class="checks">
      <legend>${words.chatbots}</legend>
      <p class="hint">${words.chatbotsHint}</p>
      ${
        loaded.data
          ? html`
            <div class="scroll" tabindex="0" role="group" aria-label=${words.chatbots}>
              ${[...names].map(
                ([id, name]) => html`
                  <label key=${id}>
                    <input type="checkbox" name=${PREFIX + id} defaultChecked=${chosen.includes(id)} /><span>${name}</span>
                  </label>
                `,
              )}
              ${names.size === 0 && html`<p class="hint">${words.noChatbots}</p>`}
            </div>
          `
          : html`<${LoadFailure} loaded=${loaded} gone=${words.noChatbots} />`
      }
    </fieldset>
  `;
}

export const chatbotsOf = (fields: Record<string, string>): string[] =>
  Object.keys(fields)
    .filter((field) => field.startsWith(PREFIX))
    .map((field) => field.slice(PREFIX.length));
