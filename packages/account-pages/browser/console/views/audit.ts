import { texts as accountTexts } from '../../account-texts.ts';
import { html } from '../../html.ts';
import { ActionButton } from '../../parts/action-button.ts';
import { Field } from '../../parts/field.ts';
import { Form } from '../../parts/form.ts';
import { PageTitle } from '../../parts/page-title.ts';
import { Pager } from '../../parts/pager.ts';
import { saveFile } from '../../parts/save-file.ts';
import { Select } from '../../parts/select.ts';
import { Table } from '../../parts/table.ts';
import { useData } from '../../parts/use-data.ts';
import { navigate, useQuery, withQuery } from '../../router.ts';
import { type AuditEvent, auditFile, listAudit } from '../calls.ts';
import { texts } from '../texts.ts';
import type { ViewProps } from '../view-props.ts';
import { actionText, COLUMNS } from './event-list.ts';

const words = texts.audit;
const ACTIONS = Object.keys(accountTexts.activity.actions);
const FILTERS = ['action', 'actor', 'target', 'organization_id', 'address', 'from', 'to'] as const;

/** The audit of everybody. The address of the page holds the filters. */
export default function Audit({ operator, result }: ViewProps) {
  const given = useQuery();
  const filters = new URLSearchParams();
  for (const name of FILTERS) {
    const value = given.get(name)?.trim();
    if (value) filters.set(name, isDate(name) ? `${value}:00Z` : value);
  }
  const query = `page=${Number(given.get('page')) || 1}&${filters}`;
  const loaded = useData(query, () => listAudit(query));
  const apply = async (fields: Record<string, string>) => navigate(withQuery({ ...fields, page: undefined }));
  const save = async () => {
    await saveFile(auditFile(filters.toString()), 'audit.csv');
    return words.saved;
  };
  const field = (name: (typeof FILTERS)[number], label: string, type = 'text') =>
    html`<${Field} key=${`${name} ${given.get(name)}`} name=${name} label=${label} type=${type} required=${false} value=${given.get(name) ?? ''} autocomplete="off" maxlength="254" />`;
  return html`
    <${PageTitle} actions=${operator.level === 'admin' && html`<${ActionButton} run=${save} result=${result}>${words.save}<//>`}>${texts.titles.audit}<//>
    <div class="section console-filters">
      <${Form} kind="secondary" submit=${words.show} onSubmit=${apply}>
        ${field('actor', words.who)}
        ${field('target', words.about)}
        <${Select}
          key=${given.get('action')}
          name="action"
          label=${words.action}
          value=${given.get('action') ?? ''}
          options=${[['', texts.any], ...ACTIONS.map((action) => [action, actionText(action)])]}
        />
        ${field('from', words.since, 'datetime-local')}
        ${field('to', words.until, 'datetime-local')}
      <//>
    </div>
    <div class="section">
      <${Table}
        label=${texts.titles.audit}
        loaded=${loaded}
        columns=${COLUMNS}
        keyOf=${({ event_id }: AuditEvent) => event_id}
        empty=${html`<p>${words.empty}</p>`}
      />
      <${Pager} pagination=${loaded.data?.pagination} />
    </div>
  `;
}

const isDate = (name: (typeof FILTERS)[number]): boolean => name === 'from' || name === 'to';
