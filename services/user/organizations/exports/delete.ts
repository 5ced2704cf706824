import { orNotFound } from '@gatehouse/shared/http/errors';
import { message } from '@gatehouse/shared/operation/responses';
import { operation } from '../operation.ts';
import { PLACES } from './contract.ts';
import { visibleExports } from './visible-exports.ts';

export const deleteExports = PLACES.map(({ of, path, needs, byKey }) =>
  operation(`DELETE ${path}/exports/{export_id}`, {
    needs,
    byKey,
    whileArchived: true,
    summary: `Cancel or delete an export of ${of}`,
    description: 'An export that is not ready is canceled; one that is ready can no longer be downloaded.',
    returns: message('Export deleted', 'The export is deleted'),
    audits: ['export.delete'],
    async handle({ db, now, request, params: { export_id }, audit }) {
      const visible = { export_id, ...visibleExports(request, now()) };
      const { organization_id, department_id } = orNotFound(await db.exports.findOneAndDelete(visible));
      // The TTL index deletes what a kill leaves here.
      await db.exportChunks.deleteMany({ export_id });
      await audit('export.delete', { target: { export_id }, organization_id, department_id });
    },
  }),
);
