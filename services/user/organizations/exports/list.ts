import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { containsText, listQuery, pageResponse, readPage } from '../../lists.ts';
import { refusals, tagged } from '../contract.ts';
import { exportRecord, PLACES, presentExport } from './contract.ts';
import type { ExportOptions } from './options.ts';
import { EXPORT_FORMATS, EXPORT_STATUSES } from './records.ts';
import { visibleExports } from './visible-exports.ts';

const table = {
  sortable: ['created_at', 'status'],
  filters: { status: EXPORT_STATUSES, format: EXPORT_FORMATS },
  search: containsText('data'),
  unique: 'export_id',
} as const;

/** GET …/exports. */
export const listExports: FastifyPluginAsyncZod<ExportOptions> = async (app, { db, now }) => {
  for (const { of, url, path, config } of PLACES) {
    const schema = {
      ...tagged,
      summary: `List the exports of ${of}`,
      description:
        'Lists the exports that the caller created; Owners of the organization see those of everybody, and in the list of an organization also those of its departments. `search` matches the data sets.',
      params: path,
      querystring: listQuery(table),
      response: { 200: pageResponse(exportRecord), ...refusals },
    };
    app.get(`${url}/exports`, { schema, config }, async (request) => {
      const visible = [{ within: visibleExports(request, now()) }];
      const { data, pagination } = await readPage(db.exports, table, visible, request.query);
      return { data: data.map(presentExport), pagination };
    });
  }
};
