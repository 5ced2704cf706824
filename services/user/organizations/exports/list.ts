import { containsText, listQuery, pageResponse, readPage } from '@gatehouse/shared/operation/lists';
import { operation } from '../operation.ts';
import { exportRecord, PLACES, presentExport } from './contract.ts';
import { EXPORT_FORMATS, EXPORT_STATUSES } from './records.ts';
import { visibleExports } from './visible-exports.ts';

const table = {
  sortable: ['created_at', 'status'],
  filters: { status: EXPORT_STATUSES, format: EXPORT_FORMATS },
  search: containsText('data'),
  unique: 'export_id',
} as const;

export const listExports = PLACES.map(({ of, path, needs, byKey }) =>
  operation(`GET ${path}/exports`, {
    needs,
    byKey,
    summary: `List the exports of ${of}`,
    description:
      'Lists the exports that the caller created; Owners of the organization see those of everybody, and in the list of an organization also those of its departments. `search` matches the data sets.',
    query: listQuery(table),
    returns: pageResponse(exportRecord),
    async handle({ db, now, request, query }) {
      const visible = [{ within: visibleExports(request, now()) }];
      const { data, pagination } = await readPage(db.exports, table, visible, query);
      return { data: data.map(presentExport), pagination };
    },
  }),
);
