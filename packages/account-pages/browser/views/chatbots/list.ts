import { useState } from 'preact/hooks';
import { formatDate, texts } from '../../account-texts.ts';
import { html } from '../../html.ts';
import { Badge } from '../../parts/badge.ts';
import { Button } from '../../parts/button.ts';
import { EmptyList, Filters } from '../../parts/filters.ts';
import { useListQuery } from '../../parts/list-query.ts';
import { PageTitle } from '../../parts/page-title.ts';
import { Pager } from '../../parts/pager.ts';
import type { Result } from '../../parts/result.ts';
import { type Column, Table } from '../../parts/table.ts';
import { useData } from '../../parts/use-data.ts';
import { navigate, withQuery } from '../../router.ts';
import { type Chatbot, listChatbots, STATUSES, TYPES } from './calls.ts';
import { CreateChatbot } from './create.ts';
import { typeOptions } from './fields.ts';
import { ChatbotPlace } from './place.ts';

const words = texts.chatbots;
const SORTS = ['updated_at-desc', 'created_at-desc', 'created_at-asc', 'name-asc', 'name-desc'] as const;

const CHOICES = [
  { name: 'type', label: words.type, options: [['', words.allTypes] as const, ...typeOptions] },
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

const COLUMNS: Column<Chatbot>[] = [
  {
    title: texts.fields.name,
    cell: ({ name, chatbot_id }) =>
      html`<a class="name" href=${withQuery({ chatbot: chatbot_id })} data-page>${name}</a>`,
  },
  { title: words.type, cell: ({ type }) => words.types[type] },
  { title: words.language, cell: ({ language }) => language },
  {
    title: words.place,
    cell: (chatbot) => html`<${ChatbotPlace} chatbot=${chatbot} />`,
  },
  {
    title: words.status,
    cell: ({ status }) =>
      html`<${Badge} tone=${status === 'active' ? 'good' : 'quiet'}>${words.statuses[status]}<//>`,
  },
  { title: words.updated, cell: ({ updated_at }) => formatDate(updated_at), end: true },
];

export function ChatbotList({ result }: { result: Result }) {
  const query = useListQuery({ type: TYPES, status: STATUSES, sort: SORTS });
  const loaded = useData(query.api, () => listChatbots(query.api));
  const [isCreating, setCreating] = useState(false);
  const create = html`<${Button} kind="primary" onClick=${() => setCreating(true)}>${words.create}<//>`;
  const isUnused = loaded.data?.data.length === 0 && !query.isNarrowed && query.page === 1;
  return html`
    <${PageTitle} actions=${!isUnused && create}>${texts.titles.chatbots}<//>
    ${!isUnused && html`<${Filters} query=${query} search=${words.search} choices=${CHOICES} />`}
    <div class="section">
      <${Table}
        label=${texts.titles.chatbots}
        loaded=${loaded}
        columns=${COLUMNS}
        keyOf=${({ chatbot_id }: Chatbot) => chatbot_id}
        empty=${html`<${EmptyList} query=${query} empty=${html`<h2>${words.none}</h2><p>${words.noneHint}</p>${create}`} />`}
      />
      <${Pager} pagination=${loaded.data?.pagination} />
    </div>
    ${
      isCreating &&
      html`
        <${CreateChatbot}
          onClose=${() => setCreating(false)}
          onCreated=${({ chatbot_id, name }: Chatbot) => {
            result.succeed(words.created(name));
            navigate(withQuery({ chatbot: chatbot_id }));
          }}
        />
      `
    }
  `;
}
