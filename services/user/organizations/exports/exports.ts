import { createExports } from './create.ts';
import { deleteExports } from './delete.ts';
import { downloadExports } from './download.ts';
import { getExports } from './get.ts';
import { listExports } from './list.ts';

/** The exports of departments and organizations. */
export const dataExports = [
  ...createExports,
  ...listExports,
  ...getExports,
  ...downloadExports,
  ...deleteExports,
];
