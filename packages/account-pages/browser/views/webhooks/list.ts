import { useState } from 'preact/hooks';
import { html } from '../../html.ts';
import { Badge } from '../../parts/badge.ts';
import { Button } from '../../parts/button.ts';
import { Dialog } from '../../parts/dialog.ts';
import { EmptyList, Filters } from '../../parts/filters.ts';
import { Form } from '../../parts/form.ts';
import { useListQuery } from '../../parts/list-query.ts';
import { PageTitle } from '../../parts/page-title.ts';
import { Pager } from '../../parts/pager.ts';
import type { Result } from '../../parts/result.ts';
import { type Column, Table } from '../../parts/table.ts';
import { useData } from '../../parts/use-data.ts';
import { navigate } from '../../router.ts';
import { formatDate, formatNumber, texts } from '../../webhook-texts.ts';
import { PlaceName } from '../organization/place-name.ts';
import { configureWebhook, listWebhooks, STATUSES, type Webhook } from './calls.ts';
import { newSecret, SecretField } from './secret-field.ts';
import { placeOf, SettingsInputs, settingsOf } from './settings.ts';

const words = texts.webhooks;
const SORTS = ['created_at-desc', 'created_at-asc', 'updated_at-desc', 'url-asc'] as const;
export const TONES = { active: 'good', paused: 'quiet', disabled: 'bad' } as const;

const CHOICES = [
  {
    name: 'status',
    label: words.status,
    options: [
      ['', words.allStatuses] as const,
      ...STATUSES.map((status) => [status, words.statuses[status]] as const),
    ],
  },
  { name: 'sort', label: texts.lists.sort, options: SORTS.map((sort) => [sort, words.sorts[sort]] as const) },
];

/** Events that are named before the others are counted. */
const NAMED = 3;
const listed = (names: string[]) =>
  names.length <= NAMED + 1
    ? names.join(', ')
    : `${names.slice(0, NAMED).join(', ')} ${words.andMore(formatNumber(names.length - NAMED))}`;

const COLUMNS: Column<Webhook>[] = [
  {
    title: words.url,
    cell: ({ url, name, webhook_id }) => html`
      <div class="person">
        <a class="name" href=${`/webhooks?webhook=${encodeURIComponent(webhook_id)}`} data-page>${name ?? url}</a>
        ${name && html`<small>${url}</small>`}
      </div>
    `,
  },
  {
    title: words.events,
    cell: ({ events }) =>
      html`<small>${listed(events.map((event) => words.eventNames[event] ?? event))}</small>`,
  },
  {
    title: words.status,
    cell: ({ status }) => html`<${Badge} tone=${TONES[status]}>${words.statuses[status]}<//>`,
  },
  {
    title: texts.chatbots.place,
    cell: ({ organization_id, department_id }) =>
      organization_id === null
        ? texts.chatbots.personal
        : html`<${PlaceName} organization=${organization_id} department=${department_id} />`,
  },
  { title: words.created, cell: ({ created_at }) => formatDate(created_at), end: true },
];

export function WebhookList({ result, onSecret }: { result: Result; onSecret: (secret: string) => void }) {
  const query = useListQuery({ status: STATUSES, sort: SORTS });
  const loaded = useData(query.api, () => listWebhooks(query.api));
  const [isCreating, setCreating] = useState(false);
  const create = html`<${Button} kind="primary" onClick=${() => setCreating(true)}>${words.create}<//>`;
  const isUnused = loaded.data?.data.length === 0 && !query.isNarrowed && query.page === 1;

  const submit = async (fields: Record<string, string>) => {
    const secret = fields.kind === 'own' ? (fields.secret ?? '') : newSecret();
    const { webhook_id } = await configureWebhook({ ...settingsOf(fields), ...placeOf(fields), secret });
    setCreating(false);
    if (fields.kind !== 'own') onSecret(secret);
    result.succeed(words.configured);
    navigate(`/webhooks?webhook=${encodeURIComponent(webhook_id)}`);
  };
  return html`
    <${PageTitle} actions=${!isUnused && create}>${texts.titles.webhooks}<//>
    ${!isUnused && html`<${Filters} query=${query} search=${words.search} choices=${CHOICES} />`}
    <div class="section">
      <${Table}
        label=${texts.titles.webhooks}
        loaded=${loaded}
        columns=${COLUMNS}
        keyOf=${({ webhook_id }: Webhook) => webhook_id}
        empty=${html`<${EmptyList} query=${query} empty=${html`<h2>${words.none}</h2><p>${words.noneHint}</p>${create}`} />`}
      />
      <${Pager} pagination=${loaded.data?.pagination} />
    </div>
    ${
      isCreating &&
      html`
        <${Dialog} title=${words.create} onClose=${() => setCreating(false)}>
          <${Form} submit=${texts.actions.createWebhook} onSubmit=${submit}>
            <${SettingsInputs} />
            <${SecretField} />
          <//>
        <//>
      `
    }
  `;
}
