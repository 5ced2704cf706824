import { collection } from '@gatehouse/shared/data/connect';
import type { Binary } from 'mongodb';
import type { ViewPermission } from '../view-permission.ts';

export const DATA_SET_NAMES = ['members', 'chatbots', 'audit', 'invitations', 'billing'] as const;
export type DataSetName = (typeof DATA_SET_NAMES)[number];

export const EXPORT_FORMATS = ['json', 'csv'] as const;
export const EXPORT_STATUSES = ['pending', 'running', 'ready', 'failed'] as const;

/** Days for which an export is kept, counted from its creation. */
export const KEPT_DAYS = 7;
/** For one organization with its departments. */
export const MAX_STORED = 10;
/** Exports of an organization that are not finished. */
export const MAX_RUNNING = 3;

/** An export, and the lease of the worker that runs it. */
export interface ExportJob {
  export_id: string;
  organization_id: string;
  /** Null: the whole organization. */
  department_id: string | null;
  created_by: string;
  format: (typeof EXPORT_FORMATS)[number];
  data: DataSetName[];
  /** The permissions that the rows reflect. A download needs all of them. */
  sees: ViewPermission[];
  status: (typeof EXPORT_STATUSES)[number];
  /** Rows when the job started; null before. */
  rows_total: number | null;
  rows_done: number;
  /** Empty until the export is ready. */
  files: ExportFile[];
  /** Why the export failed. */
  error: string | null;
  created_at: Date;
  finished_at: Date | null;
  expires_at: Date;

  /** Numbers the exports of an organization, and those that are not finished. The unique indexes enforce the limits. */
  slot: number;
  running_slot?: number;
  /** When a worker must look at the job; while a lease is held, when it expires. Absent once the job is finished. */
  due_at?: Date;
  /** The id of the worker that holds the lease. */
  lease?: string | null;
  /** Claims since the last chunk, to give up a job that fails each time. */
  claims: number;
}

/** A JSON export is one file, a CSV export one for each data set. */
export interface ExportFile {
  /** The data set; `all` for JSON. */
  file: DataSetName | 'all';
  /** Bytes. */
  size: number;
  rows: number;
}

/**
 * A part of a file. Its unique number and the position at which the next chunk begins are stored with it in one write:
 * one of several workers continues the export, and none repeats or skips a row.
 */
export interface ExportChunk {
  export_id: string;
  seq: number;
  file: ExportFile['file'];
  /** Bytes of the file before this chunk. */
  offset: number;
  size: number;
  content: Binary;
  /** All files up to the end of this chunk. */
  files: ExportFile[];
  /** Null: this is the last chunk. */
  next: Position | null;
  expires_at: Date;
}

/** Where a chunk begins. */
export interface Position {
  /** The index of the data set in `data`. */
  set: number;
  /** The cursor of the last row that is stored; null at the beginning of the data set. */
  after: Cursor | null;
}

/** The sort key of a row. */
export type Cursor = Record<string, unknown>;

export const exportCollections = {
  exports: collection<ExportJob>('exports', [
    { key: { export_id: 1 }, unique: true },
    { key: { organization_id: 1, slot: 1 }, unique: true },
    {
      key: { organization_id: 1, running_slot: 1 },
      unique: true,
      partialFilterExpression: { running_slot: { $gte: 0 } },
    },
    { key: { created_by: 1 } },
    // Jobs that are due.
    { key: { due_at: 1 }, sparse: true },
    { key: { expires_at: 1 }, expireAfterSeconds: 0 },
  ]),
  exportChunks: collection<ExportChunk>('export_chunks', [
    { key: { export_id: 1, seq: 1 }, unique: true },
    // A download reads the chunks of a file by their offset.
    { key: { export_id: 1, file: 1, offset: 1 } },
    { key: { expires_at: 1 }, expireAfterSeconds: 0 },
  ]),
};
