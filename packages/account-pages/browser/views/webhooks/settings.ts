import { useState } from 'preact/hooks';
import { ApiError } from '../../gate.ts';
import { html } from '../../html.ts';
import { Field } from '../../parts/field.ts';
import { TextArea } from '../../parts/text-area.ts';
import { texts } from '../../webhook-texts.ts';
import { PlaceInputs } from '../organization/place-inputs.ts';
import type { PlaceIds, Settings, Webhook } from './calls.ts';
import { ChatbotInputs, chatbotsOf } from './chatbot-inputs.ts';
import { EventInputs, eventsOf } from './event-inputs.ts';
import { HeaderInputs, headersOf } from './header-inputs.ts';

const words = texts.webhooks;

/** Everything that people set of a webhook; of a new one also where it belongs. */
export function SettingsInputs({ webhook }: { webhook?: Webhook }) {
  const [place, setPlace] = useState({
    organization: webhook?.organization_id ?? '',
    department: webhook?.department_id ?? '',
  });
  return html`
    <${Field}
      name="url"
      type="url"
      label=${words.url}
      hint=${words.urlHint}
      placeholder="https://"
      maxlength="2048"
      autocomplete="off"
      spellcheck=${false}
      defaultValue=${webhook?.url}
      autofocus
    />
    <${Field} name="name" label=${words.name} required=${false} maxlength="200" autocomplete="off" defaultValue=${webhook?.name ?? ''} />
    ${
      !webhook &&
      html`<${PlaceInputs} whole=${words.wholeOrganization} onChange=${(organization: string, department: string) => setPlace({ organization, department })} />`
    }
    <${EventInputs} chosen=${webhook?.events} />
    <details class="more">
      <summary>${words.more}</summary>
      <div class="stack">
      <${TextArea} name="description" label=${words.description} maxlength=${1000} value=${webhook?.description ?? ''} />
      <${ChatbotInputs} organization=${place.organization} department=${place.department} chosen=${webhook?.chatbot_ids} />
      <${HeaderInputs} stored=${Object.keys(webhook?.headers ?? {})} />
      </div>
    </details>
  `;
}

/** Reads the settings from a form. @throws {ApiError} if no event is chosen. */
export function settingsOf(fields: Record<string, string>, webhook?: Webhook): Settings {
  const events = eventsOf(fields);
  if (events.length === 0) throw new ApiError(words.noEvents);
  return {
    url: (fields.url ?? '').trim(),
    name: (fields.name ?? '').trim() || null,
    description: (fields.description ?? '').trim() || null,
    events,
    chatbot_ids: chatbotsOf(fields),
    headers: headersOf(fields, Object.keys(webhook?.headers ?? {})),
  };
}

/** Where a new webhook belongs. */
export const placeOf = ({ organization_id, department_id }: Record<string, string>): PlaceIds => ({
  ...(organization_id && { organization_id }),
  ...(department_id && { department_id }),
});

/** Only what has changed: another tab may be changing the rest. */
export function changesOf(settings: Settings, webhook: Webhook): Partial<Settings> {
  const present: Settings = { ...webhook, headers: {} };
  const sorted = (value: unknown) => JSON.stringify(Array.isArray(value) ? value.toSorted() : value);
  const names = Object.keys(settings) as (keyof Settings)[];
  return Object.fromEntries(
    names
      .filter((name) => sorted(settings[name]) !== sorted(present[name]))
      .map((name) => [name, settings[name]]),
  );
}
