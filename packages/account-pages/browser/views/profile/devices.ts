import { useState } from 'preact/hooks';
import { locale, texts } from '../../account-texts.ts';
import { get, patch, remove } from '../../gate.ts';
import { html } from '../../html.ts';
import { Badge } from '../../parts/badge.ts';
import { Button } from '../../parts/button.ts';
import { Confirm } from '../../parts/confirm.ts';
import { Dialog } from '../../parts/dialog.ts';
import { Field } from '../../parts/field.ts';
import { Form } from '../../parts/form.ts';
import { type Page, Pager } from '../../parts/pager.ts';
import type { Result } from '../../parts/result.ts';
import { Section } from '../../parts/section.ts';
import { type Column, Table } from '../../parts/table.ts';
import { Time } from '../../parts/time.ts';
import { useData } from '../../parts/use-data.ts';

interface Session {
  session_id: string;
  name: string | null;
  place: { country: string; city: string | null } | null;
  device: { browser: string | null; os: string | null; user_agent: string };
  address: string;
  began_at: string;
  last_used_at: string;
  current: boolean;
  /** Of an operator in this account. */
  support?: { operator: string };
}

const PATH = '/api/v1/users/me/sessions';
const { columns } = texts.sessions;

const nameOf = ({ name, device: { browser, os }, support }: Session): string =>
  name ?? (support ? texts.sessions.support(support.operator) : texts.sessions.device(browser, os));

const explanationOf = (ending: Session | 'others'): string => {
  if (ending === 'others') return texts.sessions.endOthersExplanation;
  if (ending.support) return texts.sessions.endSupportExplanation;
  return texts.sessions.endExplanation(nameOf(ending), ending.address);
};

/** For example `Berlin, Germany`. */
function placeOf({ place }: Session): string | undefined {
  if (!place) return undefined;
  const country = new Intl.DisplayNames(locale, { type: 'region' }).of(place.country);
  return [place.city, country].filter(Boolean).join(', ');
}

/** Where the person is signed in: sessions can be named, ended one by one, or all but this one. */
export default function Devices({ result }: { result: Result }) {
  const [page, setPage] = useState(1);
  const loaded = useData(`sessions ${page}`, () => get<Page<Session>>(`${PATH}?limit=10&page=${page}`));
  const [ending, setEnding] = useState<Session | 'others'>();
  const [naming, setNaming] = useState<Session>();
  const total = loaded.data?.pagination.total_items ?? 0;

  const rename = async ({ name = '' }: Record<string, string>) => {
    await patch(`${PATH}/${encodeURIComponent(naming?.session_id ?? '')}`, { name: name.trim() || null });
    setNaming(undefined);
    await loaded.reload();
    result.succeed(texts.sessions.named);
  };
  const confirm = async () => {
    await remove(ending === 'others' || !ending ? PATH : `${PATH}/${encodeURIComponent(ending.session_id)}`);
    setPage(1);
    await loaded.reload();
    result.succeed(ending === 'others' ? texts.sessions.othersEnded : texts.sessions.ended);
  };
  // This session ends with the button above every page.
  const actions: Column<Session> = {
    title: columns.actions,
    end: true,
    cell: (session) => html`
      <div class="choice">
        <${Button} label=${texts.sessions.nameOf(nameOf(session))} onClick=${() => setNaming(session)}>${texts.sessions.name}<//>
        ${
          !session.current &&
          html`<${Button} label=${texts.sessions.endOf(nameOf(session))} onClick=${() => setEnding(session)}>${texts.sessions.end}<//>`
        }
      </div>
    `,
  };
  const shown: Column<Session>[] = [
    {
      title: columns.device,
      cell: (session) => html`
        <div class="device">
          <span>${nameOf(session)}${session.current && html` <${Badge} tone="good">${texts.sessions.current}<//>`}</span>
          ${!session.device.browser && session.device.user_agent && html`<span class="hint">${session.device.user_agent}</span>`}
        </div>
      `,
    },
    {
      title: columns.address,
      cell: (session) => html`
        <div class="device">
          <span>${session.address}</span>
          ${placeOf(session) && html`<span class="hint">${placeOf(session)}</span>`}
        </div>
      `,
    },
    { title: columns.began, cell: ({ began_at }) => html`<${Time} at=${began_at} />` },
    {
      title: columns.used,
      cell: ({ current, last_used_at }) =>
        current ? texts.sessions.now : html`<${Time} at=${last_used_at} ago />`,
    },
    actions,
  ];
  return html`
    <${Section}
      title=${texts.sessions.title}
      actions=${total > 1 && html`<${Button} onClick=${() => setEnding('others')}>${texts.sessions.endOthers}<//>`}
    >
      <${Table}
        label=${texts.sessions.title}
        loaded=${loaded}
        columns=${shown}
        keyOf=${({ session_id }: Session) => session_id}
        empty=${texts.sessions.onlyThis}
      />
      ${total === 1 && html`<p class="hint">${texts.sessions.onlyThis}</p>`}
      <${Pager} pagination=${loaded.data?.pagination} onPage=${setPage} />
      ${
        naming &&
        html`
          <${Dialog} title=${texts.sessions.name} onClose=${() => setNaming(undefined)}>
            <${Form} submit=${texts.profile.save} onSubmit=${rename}>
              <${Field}
                name="name"
                label=${texts.sessions.deviceName}
                hint=${texts.sessions.nameHint}
                value=${naming.name ?? ''}
                required=${false}
                maxlength="60"
                autocomplete="off"
                autofocus
              />
            <//>
          <//>
        `
      }
      ${
        ending &&
        html`
          <${Confirm}
            title=${ending === 'others' ? texts.sessions.endOthersQuestion : texts.sessions.endQuestion}
            action=${ending === 'others' ? texts.sessions.endOthersAction : texts.sessions.endAction}
            onConfirm=${confirm}
            onClose=${() => setEnding(undefined)}
          >
            ${explanationOf(ending)}
          <//>
        `
      }
    <//>
  `;
}
