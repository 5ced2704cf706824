import { AppError, orNotFound } from '@gatehouse/shared/http/errors';
import { oneOf } from '@gatehouse/shared/http/fields';
import { strictQuery } from '@gatehouse/shared/operation/lists';
import { z } from 'zod';
import { sendNothing } from '../../send-stream.ts';
import { operation } from '../operation.ts';
import { viewPermissionsOf } from '../visible-events.ts';
import { byteRange } from './byte-range.ts';
import { PLACES } from './contract.ts';
import { DATA_SETS } from './data-sets.ts';
import { DATA_SET_NAMES, type DataSetName, type ExportFile, type ExportJob } from './records.ts';
import { sendFile } from './send-file.ts';
import { visibleExports } from './visible-exports.ts';

const TYPES = { json: 'application/json; charset=utf-8', csv: 'text/csv; charset=utf-8; header=present' };

const content = (description: string) =>
  z.string().meta({ description, examples: ['user_id,role\r\nUser-720415,Editor\r\n'] });

const fields = DATA_SET_NAMES.map((name) => `\`${name}\`: ${DATA_SETS[name].columns.join(', ')}`).join('; ');
const description = `Streams a file of an export that is ready. \`data\` names the data set of a CSV export that has several; JSON is one object with an array for each data set. A row has these fields, which are the columns of CSV: ${fields}. An interrupted download continues with \`Range\` and \`If-Range\`. HEAD answers the size. The caller’s role must still allow them to see what the export holds.`;

export const downloadExports = PLACES.map(({ of, path, needs, byKey }) =>
  operation(`GET ${path}/exports/{export_id}/download`, {
    needs,
    byKey,
    summary: `Download an export of ${of}`,
    description,
    query: strictQuery({ data: oneOf(DATA_SET_NAMES).optional() }),
    returns: {
      200: content('The file (application/json or text/csv), with `ETag` and `Accept-Ranges: bytes`'),
      206: content('The part that `Range` names'),
    },
    orCsv: true,
    fails: ['duplicate', 'rangeNotSatisfiable'],
    audits: ['export.download'],
    async handle({ db, now, request, reply, params: { export_id }, query: { data }, audit }) {
      const job = orNotFound(await db.exports.findOne({ export_id, ...visibleExports(request, now()) }));
      const permissions = viewPermissionsOf(request);
      if (!job.sees.every((each) => permissions.has(each)))
        throw new AppError('forbidden', { text: 'The export holds more than your role may see now' });
      if (job.status !== 'ready') throw new AppError('duplicate', { text: `The export is ${job.status}` });

      const { file, size } = fileOf(job, data);
      const etag = `"${export_id}.${file}"`;
      const { range, 'if-range': condition = etag } = request.headers;
      const isHead = request.method === 'HEAD';
      const part = isHead || condition !== etag ? undefined : byteRange(range, size);
      if (part === null) throw new AppError('rangeNotSatisfiable', { size });
      const { start, end } = part ?? { start: 0, end: size };
      reply.headers({
        'content-type': TYPES[job.format],
        'content-length': end - start,
        'content-disposition': `attachment; filename="${fileName(job, file)}"`,
        'accept-ranges': 'bytes',
        'cache-control': 'private, no-store',
        etag,
      });
      if (isHead) return sendNothing(reply);
      const { organization_id, department_id } = job;
      await audit('export.download', { target: { export_id }, organization_id, department_id });
      if (part) reply.code(206).header('content-range', `bytes ${start}-${end - 1}/${size}`);
      return sendFile(reply, db, export_id, file, { start, end });
    },
  }),
);

/** @throws {AppError} invalidFormat if `data` does not choose one file. */
function fileOf({ format, files, data }: ExportJob, chosen: DataSetName | undefined): ExportFile {
  const [only] = files;
  if (format === 'json' && chosen !== undefined)
    throw new AppError('invalidFormat', { text: 'data is for CSV; a JSON export is one file' });
  const file = chosen === undefined && files.length === 1 ? only : files.find((each) => each.file === chosen);
  if (!file) throw new AppError('invalidFormat', { text: `data must be one of ${data.join(', ')}` });
  return file;
}

const fileName = ({ created_at, format }: ExportJob, file: ExportFile['file']) =>
  `${file === 'all' ? 'export' : file}-${created_at.toISOString().slice(0, 10)}.${format}`;
