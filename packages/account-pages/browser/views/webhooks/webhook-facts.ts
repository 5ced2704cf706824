import { html } from '../../html.ts';
import { Badge } from '../../parts/badge.ts';
import { Facts } from '../../parts/facts.ts';
import { formatDateTime, formatNumber, texts } from '../../webhook-texts.ts';
import { PlaceLink } from '../organization/place-name.ts';
import type { WebhookWithDetails } from './calls.ts';
import { TONES } from './list.ts';

const words = texts.webhooks;

/** What is set of a webhook. */
export const WebhookFacts = ({ webhook }: { webhook: WebhookWithDetails }) => {
  const { name, description, url, events, chatbot_ids, headers, organization_id, department_id } = webhook;
  const { organization_name, department_name } = webhook.details;
  const names = Object.keys(headers);
  return html`
    <${Facts}
      facts=${[
        [words.status, html`<${Badge} tone=${TONES[webhook.status]}>${words.statuses[webhook.status]}<//>`],
        ...(name ? [[words.url, url, true]] : []),
        ...(description ? [[words.description, description, true]] : []),
        [
          texts.chatbots.place,
          organization_id
            ? html`<${PlaceLink} organization=${organization_id} department=${department_id} names=${[organization_name, department_name]} />`
            : texts.chatbots.personal,
        ],
        [
          words.events,
          html`<ul class="plain-list">${events.map((event) => html`<li>${words.eventNames[event] ?? event}</li>`)}</ul>`,
        ],
        ...(chatbot_ids.length > 0 ? [[words.chatbots, formatNumber(chatbot_ids.length)]] : []),
        ...(names.length > 0 ? [[words.headers, names.join(', ')]] : []),
        [words.created, formatDateTime(webhook.created_at)],
        ...(webhook.previous_secret_until
          ? [[words.previousSecret, words.validUntil(formatDateTime(webhook.previous_secret_until))]]
          : []),
        [texts.chatbots.id, html`<code>${webhook.webhook_id}</code>`, true],
      ]}
    />
  `;
};
