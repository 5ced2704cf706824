import { can, type Role } from '@gatehouse/shared/access/rbac';
import { useState } from 'preact/hooks';
import { html } from '../../html.ts';
import { formatDate, formatDateTime, formatNumber, formatSize, texts } from '../../organization-texts.ts';
import { ActionButton } from '../../parts/action-button.ts';
import { Badge } from '../../parts/badge.ts';
import { Button } from '../../parts/button.ts';
import { Confirm } from '../../parts/confirm.ts';
import { Meter } from '../../parts/meter.ts';
import { Pager } from '../../parts/pager.ts';
import type { Result } from '../../parts/result.ts';
import { saveFile } from '../../parts/save-file.ts';
import { Section } from '../../parts/section.ts';
import { type Column, Table } from '../../parts/table.ts';
import { changeAndReload, useData } from '../../parts/use-data.ts';
import { usePolling } from '../../parts/use-polling.ts';
import {
  createExport,
  deleteExport,
  downloadPath,
  type ExportFile,
  type ExportJob,
  listExports,
  type WholePlace,
} from './calls.ts';
import { ExportDialog } from './export-dialog.ts';

const words = texts.exports;
const TONES = { pending: 'quiet', running: 'quiet', ready: 'good', failed: 'bad' } as const;
const isUnderWay = ({ status }: ExportJob) => status === 'pending' || status === 'running';
/** Looks at an export that takes long: half an hour. */
const MAX_LOOKS = 450;

/** The exports of a department or of a whole organization. */
export default function Exports({ place, role, result }: { place: WholePlace; role: Role; result: Result }) {
  const [page, setPage] = useState(1);
  const [isCreating, setCreating] = useState(false);
  const [deleting, setDeleting] = useState<ExportJob>();
  const loaded = useData(`${place.department_id} ${page}`, () => listExports(place, page));
  const jobs = loaded.data?.data ?? [];
  usePolling(loaded, jobs.some(isUnderWay), MAX_LOOKS);

  const create = async (format: ExportJob['format'], data: ExportJob['data']) => {
    await changeAndReload(loaded.reload, () => createExport(place, { format, data }));
    setCreating(false);
    result.succeed(words.created);
  };
  const download = async (job: ExportJob, { data }: ExportFile) => {
    // The file of a JSON export has no name of its own.
    await saveFile(downloadPath(job, job.format === 'csv' ? data : undefined), `${data}.${job.format}`);
    return words.downloaded;
  };
  const columns: Column<ExportJob>[] = [
    {
      title: words.data,
      cell: ({ data, format, department_id }) => html`
        <div class="person">
          <span>${data.map((name) => words.dataSets[name]).join(', ')}</span>
          <small>${format.toUpperCase()}${place.department_id === null && department_id !== null && ` · ${texts.organization.department}`}</small>
        </div>
      `,
    },
    { title: words.status, cell: (job) => html`<${Progress} job=${job} />` },
    {
      title: words.created_at,
      cell: ({ created_at, expires_at }) => html`
        <div class="person"><span>${formatDateTime(created_at)}</span><small>${words.keptUntil(formatDate(expires_at))}</small></div>
      `,
    },
    {
      title: texts.lists.actions,
      end: true,
      cell: (job) => html`
        <div class="row-actions">
          ${job.files.map(
            (file) => html`
              <${ActionButton} kind="plain" result=${result} run=${() => download(job, file)} label=${job.files.length > 1 ? `${words.download}: ${nameOf(job, file)} ${formatSize(file.size)}` : undefined}>
                ${job.files.length > 1 ? nameOf(job, file) : words.download} <small>${formatSize(file.size)}</small>
              <//>
            `,
          )}
          <${Button} kind="plain" label=${`${removal(job)}: ${formatDateTime(job.created_at)}`} onClick=${() => setDeleting(job)}>${removal(job)}<//>
        </div>
      `,
    },
  ];
  const add = html`<${Button} kind="primary" onClick=${() => setCreating(true)}>${words.create}<//>`;
  return html`
    <${Section} title=${words.title} actions=${jobs.length > 0 && add}>
      <p class="muted">${words.explanation}</p>
      <${Table}
        label=${words.title}
        loaded=${loaded}
        columns=${columns}
        keyOf=${({ export_id }: ExportJob) => export_id}
        empty=${html`<p>${words.none}</p>${add}`}
      />
      <${Pager} pagination=${loaded.data?.pagination} onPage=${setPage} />
    <//>
    ${isCreating && html`<${ExportDialog} may=${(permission: Parameters<typeof can>[1]) => can(role, permission)} onSubmit=${create} onClose=${() => setCreating(false)} />`}
    ${
      deleting &&
      html`
        <${Confirm}
          title=${isUnderWay(deleting) ? words.cancelTitle : words.deleteTitle}
          action=${isUnderWay(deleting) ? texts.actions.stopExport : texts.actions.deleteExport}
          onClose=${() => setDeleting(undefined)}
          onConfirm=${async () => {
            await changeAndReload(loaded.reload, () => deleteExport(deleting));
            result.succeed(words.deleted);
          }}
        >
          ${words.deleteWarning}
        <//>
      `
    }
  `;
}

const removal = (job: ExportJob) => (isUnderWay(job) ? words.cancel : words.delete);
const nameOf = (job: ExportJob, { data }: ExportFile) =>
  data === 'all' ? job.format.toUpperCase() : words.dataSets[data];

/** How far an export is. */
const Progress = ({ job: { status, error, progress } }: { job: ExportJob }) => {
  const { rows_done, rows_total } = progress;
  const text =
    rows_total === null
      ? words.rows(formatNumber(rows_done))
      : words.rowsOf(formatNumber(Math.min(rows_done, rows_total)), formatNumber(rows_total));
  return html`
    <div class="progress">
      <${Badge} tone=${TONES[status]}>${words.statuses[status]}<//>
      ${status === 'running' && html`<${Meter} label=${words.title} used=${rows_done} limit=${Math.max(1, rows_total ?? 1)} text=${text} calm />`}
      ${status === 'failed' ? html`<small>${error}</small>` : status !== 'pending' && html`<small>${status === 'ready' ? words.rows(formatNumber(rows_done)) : text}</small>`}
    </div>
  `;
};
