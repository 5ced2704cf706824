import { orNotFound } from '@gatehouse/shared/http/errors';
import { operation } from '../operation.ts';
import { exportRecord, PLACES, presentExport } from './contract.ts';
import { visibleExports } from './visible-exports.ts';

export const getExports = PLACES.map(({ of, path, needs, byKey }) =>
  operation(`GET ${path}/exports/{export_id}`, {
    needs,
    byKey,
    summary: `Read an export of ${of}`,
    description:
      'Counts the stored rows in `rows_done`, and those that existed when the job started in `rows_total`. Rows that come or go during the job change the first number only, so rely on `status`.',
    returns: exportRecord,
    async handle({ db, now, request, params: { export_id } }) {
      return presentExport(
        orNotFound(await db.exports.findOne({ export_id, ...visibleExports(request, now()) })),
      );
    },
  }),
);
