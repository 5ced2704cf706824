import { found } from '@gatehouse/shared/http/errors';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { refusals, tagged } from '../contract.ts';
import { exportRecord, PLACES, presentExport } from './contract.ts';
import type { ExportOptions } from './options.ts';
import { visibleExports } from './visible-exports.ts';

/** GET …/exports/{export_id}. */
export const getExport: FastifyPluginAsyncZod<ExportOptions> = async (app, { db, now }) => {
  for (const { of, url, exportPath, config } of PLACES) {
    const schema = {
      ...tagged,
      summary: `Read an export of ${of}`,
      description:
        'The progress counts the rows that are stored, of those that were there when the job started. The export is ready when its `status` says so: rows that come or go meanwhile change the first number.',
      params: exportPath,
      response: { 200: exportRecord, ...refusals },
    };
    app.get(`${url}/exports/:export_id`, { schema, config }, async (request) => {
      const { export_id } = request.params;
      return presentExport(found(await db.exports.findOne({ export_id, ...visibleExports(request, now()) })));
    });
  }
};
