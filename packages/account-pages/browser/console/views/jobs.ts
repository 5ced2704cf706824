import { html } from '../../html.ts';
import { Badge } from '../../parts/badge.ts';
import { PageTitle } from '../../parts/page-title.ts';
import { Section } from '../../parts/section.ts';
import { type Column, Table } from '../../parts/table.ts';
import { Time } from '../../parts/time.ts';
import { type Loaded, useData } from '../../parts/use-data.ts';
import { formatNumber } from '../../texts.ts';
import { type Job, listJobs, type Repair } from '../calls.ts';
import { texts } from '../texts.ts';

const words = texts.jobs;

const JOBS: Column<Job>[] = [
  {
    title: words.name,
    cell: ({ name, completes }) =>
      html`<div class="person"><span>${name}</span><small>${completes}</small></div>`,
  },
  {
    title: words.state,
    cell: ({ stuck }) =>
      html`<${Badge} tone=${stuck ? 'bad' : 'good'}>${stuck ? words.stuck : words.runs}<//>`,
  },
  {
    title: words.lastRun,
    cell: ({ last_run_at }) => (last_run_at ? html`<${Time} at=${last_run_at} ago />` : words.never),
  },
  {
    title: words.lastFailure,
    cell: ({ last_failure_at, last_failure }) =>
      last_failure_at
        ? html`<div class="person"><${Time} at=${last_failure_at} ago /><small>${last_failure}</small></div>`
        : texts.none,
  },
  {
    title: words.waiting,
    cell: ({ waiting }) => (waiting === null ? texts.none : formatNumber(waiting)),
    end: true,
  },
];

const REPAIRS: Column<Repair>[] = [
  { title: words.repair, cell: ({ name }) => name },
  { title: words.mark, cell: ({ mark }) => (mark ? html`<code>${mark}</code>` : texts.none) },
  { title: words.left, cell: ({ left }) => (left === null ? texts.none : formatNumber(left)), end: true },
];

/** What the user service does in the background, and what an interrupted call has left. */
export default function Jobs() {
  const loaded = useData('jobs', listJobs);
  const part = <Row>(rows: Row[] | undefined): Loaded<{ data: Row[] }> => {
    const { data: _, ...state } = loaded;
    return { ...state, ...(rows && { data: { data: rows } }) };
  };
  return html`
    <${PageTitle}>${texts.titles.jobs}<//>
    <div class="section">
      <${Table}
        label=${texts.titles.jobs}
        loaded=${part(loaded.data?.jobs)}
        columns=${JOBS}
        keyOf=${({ name }: Job) => name}
        empty=${words.empty}
      />
    </div>
    <${Section} title=${words.repairs}>
      <p class="hint">${words.repairsHint}</p>
      <${Table}
        label=${words.repairs}
        loaded=${part(loaded.data?.repairs)}
        columns=${REPAIRS}
        keyOf=${({ name, mark }: Repair) => `${name} ${mark}`}
        empty=${words.empty}
      />
    <//>
  `;
}
