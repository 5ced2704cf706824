import { texts } from '../../account-texts.ts';
import { html } from '../../html.ts';
import { Address } from '../../parts/address.ts';
import { EmptyList, Filters } from '../../parts/filters.ts';
import { useListQuery } from '../../parts/list-query.ts';
import { Pager } from '../../parts/pager.ts';
import { Section } from '../../parts/section.ts';
import { type Column, Table } from '../../parts/table.ts';
import { Time } from '../../parts/time.ts';
import { useData } from '../../parts/use-data.ts';
import { type AuditEvent, listAudit } from './calls.ts';

const words = texts.audit;

const actionText = (action: string): string => texts.activity.actions[action] ?? action;

/** Matches the actions that concern a person's own account and no organization. */
const PERSONAL = /^(signup|verify|forgot|reset|login|refresh|logout|session\..*|profile\..*)$/;

/** The actions that happen in an organization. A test holds the texts equal to what is audited. */
const ACTIONS = Object.keys(texts.activity.actions).filter((action) => !PERSONAL.test(action));

const CHOICES = [
  {
    name: 'action',
    label: words.action,
    options: [
      ['', words.allActions] as const,
      ...ACTIONS.map((action) => [action, actionText(action)] as const),
    ],
  },
];

const COLUMNS: Column<AuditEvent>[] = [
  { title: words.at, cell: ({ at }) => html`<${Time} at=${at} />` },
  {
    title: words.action,
    cell: ({ action, outcome }) => html`
      <div class="person">
        <span>${actionText(action)}</span>
        ${outcome !== 'success' && html`<small>${outcome}</small>`}
      </div>
    `,
  },
  { title: words.actor, cell: ({ actor }) => nameOf(actor) ?? words.platform },
  { title: words.target, cell: subjectOf },
  { title: words.change, cell: changes },
];

const nameOf = ({ email, user_id }: AuditEvent['actor']) =>
  email ? html`<${Address} email=${email} />` : user_id;

/** Whom or what an event is about: a chatbot by its name, if the event has it. */
function subjectOf({ target, before, after }: AuditEvent) {
  const name = target.chatbot_id && !target.user_id && (after?.name ?? before?.name);
  if (name) return name;
  return target.email
    ? html`<${Address} email=${target.email} />`
    : html`<span class="id">${target.user_id ?? target.chatbot_id ?? '–'}</span>`;
}

/** Fields that sum up a record that has been created or deleted. */
const TELLING = ['name', 'role', 'subscription_plan'];

/** What has changed, as `field: before → after`. */
function changes({ before, after }: AuditEvent) {
  const given = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
  const text = (value: unknown) =>
    value == null ? '–' : Array.isArray(value) ? value.join(', ') : String(value);
  const fields = given.filter((field) =>
    before && after ? text(before[field]) !== text(after[field]) : TELLING.includes(field),
  );
  if (fields.length === 0) return '–';
  return html`
    <ul class="changes">
      ${fields.map(
        (field) => html`
          <li><span>${texts.activity.fields[field] ?? field}:</span> ${before && `${text(before[field])}${after ? ' → ' : ''}`}${after && text(after[field])}</li>
        `,
      )}
    </ul>
  `;
}

/** Who has changed what in an organization. */
export default function Audit({ organization_id }: { organization_id: string }) {
  const query = useListQuery({ action: ACTIONS });
  const loaded = useData(`${organization_id} ${query.api}`, () => listAudit(organization_id, query.api));
  return html`
    <${Section} title=${words.title}>
      <${Filters} query=${query} choices=${CHOICES} />
      <${Table}
        label=${words.title}
        loaded=${loaded}
        columns=${COLUMNS}
        keyOf=${({ event_id }: AuditEvent) => event_id}
        empty=${html`<${EmptyList} query=${query} empty=${html`<p>${words.none}</p>`} />`}
      />
      <${Pager} pagination=${loaded.data?.pagination} />
    <//>
  `;
}
