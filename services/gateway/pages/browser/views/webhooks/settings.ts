import { texts } from '../../account-texts.ts';
import { html } from '../../html.ts';
import { Field } from '../../parts/field.ts';
import { EVENTS, type EventName, type Settings } from './calls.ts';

const words = texts.webhooks;

/** The URL and the events of a webhook. */
export const SettingsInputs = ({ webhook }: { webhook?: Settings }) => html`
  <${Field}
    name="url"
    type="url"
    label=${words.url}
    hint=${words.urlHint}
    placeholder="https://"
    maxlength="2048"
    autocomplete="off"
    spellcheck="false"
    defaultValue=${webhook?.url}
    autofocus
  />
  <fieldset class="checks">
    <legend>${words.events}</legend>
    ${EVENTS.map(
      (event) => html`
        <label>
          <input type="checkbox" name=${event} defaultChecked=${webhook?.events.includes(event) ?? false} />
          <span>${words.eventNames[event]} <code>${event}</code></span>
        </label>
      `,
    )}
  </fieldset>
`;

/** Reads the settings from a form. */
export const settingsOf = (fields: Record<string, string>): Settings => ({
  url: (fields.url ?? '').trim(),
  events: EVENTS.filter((event: EventName) => fields[event] === 'on'),
});
