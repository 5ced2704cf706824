import { orNotFound } from '@gatehouse/shared/http/errors';
import { operation } from '../operation.ts';
import { exportRecord, PLACES, presentExport } from './contract.ts';
import { visibleExports } from './visible-exports.ts';

export const getExports = PLACES.map(({ of, path, needs }) =>
  operation(`GET ${path}/exports/{export_id}`, {
    needs,
    summary: `Read an export of ${of}`,
    description:
      'The progress counts the rows that are stored, of those that were there when the job started. The export is ready when its `status` says so: rows that come or go meanwhile change the first number.',
    returns: exportRecord,
    async handle({ db, now, request, params: { export_id } }) {
      return presentExport(
        orNotFound(await db.exports.findOne({ export_id, ...visibleExports(request, now()) })),
      );
    },
  }),
);
