import { csvLine } from '../../csv.ts';
import type { DataSet } from './data-set.ts';
import { DATA_SETS } from './data-sets.ts';
import type { ExportFile, ExportJob, Position } from './records.ts';

interface Rendered {
  file: ExportFile['file'];
  text: string;
}

/**
 * Renders a part of a data set. The parts of a file joined are one valid document: a JSON object with an array for each
 * data set, or a CSV table.
 * @param ends whether these rows are the last of their data set.
 */
export function renderChunk(
  job: Pick<ExportJob, 'format' | 'data' | 'export_id' | 'organization_id' | 'department_id' | 'created_at'>,
  { set, after }: Position,
  rows: readonly object[],
  ends: boolean,
): Rendered {
  const name = job.data[set];
  if (name === undefined) throw new Error(`the export has no data set ${set}`);
  const isFirst = after === null;
  if (job.format === 'csv') {
    const { columns } = DATA_SETS[name];
    const lines = rows.map((row) => csvLine(cellsOf(columns, row)));
    return { file: name, text: [isFirst ? csvLine(columns) : '', ...lines].join('') };
  }
  const { export_id, organization_id, department_id, created_at } = job;
  const opening = JSON.stringify({ export_id, organization_id, department_id, created_at }).slice(0, -1);
  const head = isFirst ? `${set === 0 ? opening : ''},\n${JSON.stringify(name)}:[\n` : '';
  const body = rows.map((row) => JSON.stringify(row)).join(',\n');
  const joint = !isFirst && rows.length > 0 ? ',\n' : '';
  const tail = ends ? `]${set === job.data.length - 1 ? '}\n' : ''}` : '';
  return { file: 'all', text: head + joint + body + tail };
}

const cellsOf = (columns: DataSet['columns'], row: object) =>
  columns.map((column) => (row as Record<string, unknown>)[column]);
