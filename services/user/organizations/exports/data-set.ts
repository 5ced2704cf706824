import type { Database } from '../../database.ts';
import type { ViewPermission } from '../view-permission.ts';
import type { Cursor } from './records.ts';

/** The extent of an export, and its creator. */
export interface ExportScope {
  organization_id: string;
  /** Null: every department. */
  department_id: string | null;
  created_by: string;
  created_at: Date;
  sees: readonly ViewPermission[];
}

/** A row of a data set, with the cursor that continues behind it. */
export interface Read {
  row: object;
  after: Cursor;
}

export interface DataSet {
  /** The permission that the caller needs besides `export data`. */
  needs: ViewPermission | null;
  /** Permissions that affect which rows and fields are exported. */
  uses: readonly ViewPermission[];
  count(db: Database, scope: ExportScope): Promise<number>;
  /** Reads up to `limit` rows that follow a cursor; fewer only at the end. The order is that of a key that never changes. */
  read(db: Database, scope: ExportScope, after: Cursor | null, limit: number): Promise<Read[]>;
  /** The columns of the CSV file. A column that a row lacks is empty; an object is JSON. */
  columns: readonly string[];
}
