import type { Database } from '../../../database.ts';
import type { ExportScope, Read } from '../data-set.ts';
import type { Cursor } from '../records.ts';

interface Place {
  organization_id: string;
  department_id: string;
}

/** Reads a data set department by department, in the order of their ids. The cursor names the department. */
export const byDepartment =
  (
    readDepartment: (
      db: Database,
      scope: ExportScope & Place,
      after: Cursor | null,
      limit: number,
    ) => Promise<Read[]>,
  ) =>
  async (db: Database, scope: ExportScope, cursor: Cursor | null, limit: number): Promise<Read[]> => {
    const rows: Read[] = [];
    for (const department_id of await departmentsOf(db, scope, cursor)) {
      const after = cursor?.department_id === department_id ? (cursor.after as Cursor) : null;
      const read = await readDepartment(db, { ...scope, department_id }, after, limit - rows.length);
      rows.push(...read.map((each) => ({ row: each.row, after: { department_id, after: each.after } })));
      if (rows.length >= limit) break;
    }
    return rows;
  };

/** The ids of the departments in a scope, from that of the cursor on. */
export async function departmentsOf(
  db: Database,
  { organization_id, department_id }: Pick<ExportScope, 'organization_id' | 'department_id'>,
  cursor: Cursor | null = null,
): Promise<string[]> {
  if (department_id !== null) return [department_id];
  const from = cursor ? { department_id: { $gte: cursor.department_id as string } } : {};
  const departments = await db.departments
    .find({ organization_id, ...from }, { projection: { department_id: 1 }, sort: { department_id: 1 } })
    .toArray();
  return departments.map((department) => department.department_id);
}
