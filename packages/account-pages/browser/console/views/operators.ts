import { useState } from 'preact/hooks';
import { formatDate } from '../../account-texts.ts';
import { html } from '../../html.ts';
import { Badge } from '../../parts/badge.ts';
import { Button } from '../../parts/button.ts';
import { Field } from '../../parts/field.ts';
import { useListQuery } from '../../parts/list-query.ts';
import { LoadFailure } from '../../parts/load-failure.ts';
import { PageTitle } from '../../parts/page-title.ts';
import { Pager } from '../../parts/pager.ts';
import { Select } from '../../parts/select.ts';
import { type Column, Table } from '../../parts/table.ts';
import { changeAndReload, useData } from '../../parts/use-data.ts';
import { listOperators, type Operator, removeOperator, setOperator } from '../calls.ts';
import { ChangeDialog } from '../parts/change-dialog.ts';
import { PersonLink } from '../parts/links.ts';
import { texts } from '../texts.ts';
import type { ViewProps } from '../view-props.ts';

const words = texts.operators;

/** Who runs the deployment. */
export default function Operators({ operator: self, result }: ViewProps) {
  const query = useListQuery({});
  const loaded = useData(query.api, () => listOperators(query.api));
  const [setting, setSetting] = useState<Partial<Operator>>();
  const [removing, setRemoving] = useState<Operator>();
  if (loaded.error?.status === 403)
    return html`<${PageTitle}>${texts.titles.operators}<//><${LoadFailure} loaded=${loaded} gone=${words.adminsOnly} />`;
  const columns: Column<Operator>[] = [
    { title: words.account, cell: ({ user_id }) => html`<${PersonLink} id=${user_id} />` },
    { title: words.level, cell: ({ level }) => html`<${Badge}>${texts.levels[level]}<//>` },
    {
      title: words.added,
      cell: ({ added_at, added_by }) =>
        html`<div class="person"><span>${formatDate(added_at)}</span><small>${words.by} ${added_by}</small></div>`,
    },
    {
      title: texts.actions,
      end: true,
      cell: (operator) =>
        operator.user_id !== self.user_id &&
        html`
          <div class="row-actions">
            <${Button} kind="plain" onClick=${() => setSetting(operator)}>${words.change}<//>
            <${Button} kind="plain" onClick=${() => setRemoving(operator)}>${words.remove}<//>
          </div>
        `,
    },
  ];
  const add = html`<${Button} kind="primary" onClick=${() => setSetting({})}>${words.add}<//>`;
  return html`
    <${PageTitle} actions=${self.level === 'admin' && add}>${texts.titles.operators}<//>
    <div class="section">
      <${Table}
        label=${texts.titles.operators}
        loaded=${loaded}
        columns=${columns}
        keyOf=${({ user_id }: Operator) => user_id}
        empty=${html`<p>${words.empty}</p>`}
      />
      <${Pager} pagination=${loaded.data?.pagination} />
    </div>
    ${
      setting &&
      html`
        <${ChangeDialog}
          title=${setting.user_id ? words.change : words.add}
          action=${setting.user_id ? words.change : words.add}
          explanation=${words.explain}
          onClose=${() => setSetting(undefined)}
          onSubmit=${async ({
            user_id = setting.user_id ?? '',
            level = '',
            reason = '',
          }: Record<string, string>) => {
            const answer = await changeAndReload(loaded.reload, () => setOperator(user_id, level, reason));
            result.succeed('approval_id' in answer ? texts.waits : words.set);
          }}
        >
          ${!setting.user_id && html`<${Field} name="user_id" label=${words.userId} autofocus autocomplete="off" maxlength="200" />`}
          <${Select} name="level" label=${words.level} value=${setting.level ?? 'support'} options=${Object.entries(texts.levels)} />
        <//>
      `
    }
    ${
      removing &&
      html`
        <${ChangeDialog}
          title=${words.removeTitle(removing.user_id)}
          action=${words.remove}
          isDestructive
          explanation=${words.removeHint}
          onClose=${() => setRemoving(undefined)}
          onSubmit=${async ({ reason = '' }: Record<string, string>) => {
            await changeAndReload(loaded.reload, () => removeOperator(removing.user_id, reason));
            result.succeed(words.removed);
          }}
        />
      `
    }
  `;
}
