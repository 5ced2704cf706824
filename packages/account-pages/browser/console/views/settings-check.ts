import { html } from '../../html.ts';
import { Badge } from '../../parts/badge.ts';
import { Button } from '../../parts/button.ts';
import { LoadFailure } from '../../parts/load-failure.ts';
import { PageTitle } from '../../parts/page-title.ts';
import { type Column, Table } from '../../parts/table.ts';
import { useData } from '../../parts/use-data.ts';
import { formatTimestamp } from '../../texts.ts';
import { checkSettings, type Finding } from '../calls.ts';
import { texts } from '../texts.ts';

const words = texts.settingsCheck;
const TONES = { fail: 'bad', warn: 'quiet', ok: 'good' } as const;

const COLUMNS: Column<Finding>[] = [
  { title: words.check, cell: ({ check }) => check },
  {
    title: words.severity,
    cell: ({ status }) => html`<${Badge} tone=${TONES[status]}>${words.severities[status]}<//>`,
  },
  { title: words.found, cell: ({ found }) => found },
  { title: words.advice, cell: ({ advice }) => advice },
];

/** What the user service finds out about its settings and what it needs, failures first. */
export default function SettingsCheck() {
  const loaded = useData('settings check', checkSettings);
  if (loaded.error?.status === 403)
    return html`<${PageTitle}>${texts.titles['settings-check']}<//><${LoadFailure} loaded=${loaded} gone=${words.adminsOnly} />`;
  const again = html`<${Button} busy=${loaded.busy} onClick=${loaded.reload}>${words.again}<//>`;
  return html`
    <${PageTitle} actions=${again}>${texts.titles['settings-check']}<//>
    <p class="muted">${words.hint}</p>
    <div class="section">
      ${loaded.data && html`<p class="hint" role="status">${words.checkedAt(formatTimestamp(loaded.data.checked_at))}</p>`}
      <${Table}
        label=${texts.titles['settings-check']}
        loaded=${loaded}
        columns=${COLUMNS}
        keyOf=${({ check, found }: Finding) => `${check} ${found}`}
        empty=${words.empty}
      />
    </div>
  `;
}
