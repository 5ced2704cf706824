import { html } from '../../html.ts';
import { texts } from '../../webhook-texts.ts';
import { EVENTS, type EventName } from './calls.ts';

const words = texts.webhooks;

/** The groups of events, by the first part of their names. */
const GROUPS = {
  chatbots: ['chatbot', 'conversation'],
  payments: ['payment', 'subscription'],
  accounts: ['user', 'session', 'password'],
  people: ['organization', 'invitation'],
  webhooks: ['webhook'],
} as const;

const eventGroups = (Object.keys(GROUPS) as (keyof typeof GROUPS)[])
  .map((group) => ({
    group,
    events: EVENTS.filter((event) =>
      (GROUPS[group] as readonly string[]).includes(event.split('.')[0] ?? ''),
    ),
  }))
  .filter(({ events }) => events.length > 0);

/** The choice of events, each with what it means. */
export const EventInputs = ({ chosen = [] }: { chosen?: readonly EventName[] | undefined }) => html`
  <fieldset class="checks">
    <legend>${words.events}</legend>
    ${eventGroups.map(
      ({ group, events }) => html`
        <details open=${group === 'chatbots' || group === 'payments' || events.some((event) => chosen.includes(event))}>
          <summary>${words.eventGroups[group]}</summary>
          ${events.map(
            (event) => html`
              <label>
                <input type="checkbox" name=${event} defaultChecked=${chosen.includes(event)} />
                <span>
                  ${words.eventNames[event]} <code>${event}</code>
                  <small>${words.eventHints[event]}</small>
                </span>
              </label>
            `,
          )}
        </details>
      `,
    )}
  </fieldset>
`;

export const eventsOf = (fields: Record<string, string>): EventName[] =>
  EVENTS.filter((event) => fields[event] === 'on');
