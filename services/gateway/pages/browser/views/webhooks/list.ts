import { useState } from 'preact/hooks';
import { formatDate, texts } from '../../account-texts.ts';
import { ApiError } from '../../api.ts';
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
import { configureWebhook, listWebhooks, STATUSES, type Webhook } from './calls.ts';
import { newSecret, SecretField } from './secret-field.ts';
import { SettingsInputs, settingsOf } from './settings.ts';

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

const COLUMNS: Column<Webhook>[] = [
  {
    title: words.url,
    cell: ({ url, webhook_id }) =>
      html`<a class="name" href=${`/webhooks?webhook=${encodeURIComponent(webhook_id)}`} data-page>${url}</a>`,
  },
  {
    title: words.events,
    cell: ({ events }) =>
      html`<small>${events.map((event) => words.eventNames[event] ?? event).join(', ')}</small>`,
  },
  {
    title: words.status,
    cell: ({ status }) => html`<${Badge} tone=${TONES[status]}>${words.statuses[status]}<//>`,
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
    const settings = settingsOf(fields);
    if (settings.events.length === 0) throw new ApiError(words.noEvents);
    const secret = fields.kind === 'own' ? (fields.secret ?? '') : newSecret();
    const { webhook_id } = await configureWebhook({ ...settings, secret });
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
          <${Form} submit=${words.create} onSubmit=${submit}>
            <${SettingsInputs} />
            <${SecretField} />
          <//>
        <//>
      `
    }
  `;
}
