import { z } from 'zod';
import { placesFor } from '../places.ts';
import { DATA_SET_NAMES, EXPORT_FORMATS, EXPORT_STATUSES, type ExportJob } from './records.ts';

/** Schema parts that the operations on exports share (CONTRACT.md §Exports). */

export const PLACES = placesFor('export data');

const dateTime = z.string().meta({ format: 'date-time' });

export const exportRecord = z
  .object({
    export_id: z.string(),
    organization_id: z.string(),
    department_id: z.string().nullable().meta({ description: 'Null for an export of the organization' }),
    format: z.enum(EXPORT_FORMATS),
    data: z.array(z.enum(DATA_SET_NAMES)),
    status: z.enum(EXPORT_STATUSES),
    error: z.string().nullable().meta({ description: 'Why the export failed' }),
    progress: z.object({
      rows_done: z.int(),
      rows_total: z
        .int()
        .nullable()
        .meta({ description: 'The rows that were counted when the job started; null before' }),
    }),
    files: z
      .array(z.object({ data: z.enum([...DATA_SET_NAMES, 'all']), size: z.int(), rows: z.int() }))
      .meta({ description: 'What can be downloaded once the export is ready, with its size in bytes' }),
    created_by: z.string(),
    created_at: dateTime,
    finished_at: dateTime.nullable(),
    expires_at: dateTime,
  })
  .meta({
    description: 'The export',
    examples: [
      {
        export_id: '01936f32-61d0-7c3e-9b5a-2f7c8d1e4a60',
        organization_id: '01936f2e-7d3c-7a44-8c1e-5b0f3f6a9d21',
        department_id: '01936f2f-02b1-7c1f-9a77-3f1d3c0e8b52',
        format: 'csv',
        data: ['members', 'chatbots'],
        status: 'ready',
        error: null,
        progress: { rows_done: 1204, rows_total: 1204 },
        files: [
          { data: 'members', size: 118_322, rows: 1004 },
          { data: 'chatbots', size: 41_870, rows: 200 },
        ],
        created_by: 'User-483920',
        created_at: '2026-01-15T09:30:00.000Z',
        finished_at: '2026-01-15T09:30:04.000Z',
        expires_at: '2026-01-22T09:30:00.000Z',
      },
    ],
  });

export const presentExport = (job: ExportJob): z.infer<typeof exportRecord> => ({
  export_id: job.export_id,
  organization_id: job.organization_id,
  department_id: job.department_id,
  format: job.format,
  data: job.data,
  status: job.status,
  error: job.error,
  progress: { rows_done: job.rows_done, rows_total: job.rows_total },
  files: job.files.map(({ file, size, rows }) => ({ data: file, size, rows })),
  created_by: job.created_by,
  created_at: job.created_at.toISOString(),
  finished_at: job.finished_at?.toISOString() ?? null,
  expires_at: job.expires_at.toISOString(),
});
