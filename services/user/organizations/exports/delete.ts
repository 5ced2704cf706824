import { found } from '@gatehouse/shared/http/errors';
import { messageResponse } from '@gatehouse/shared/http/fields';
import { audit } from '@gatehouse/shared/identity/audit';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { refusals, tagged } from '../contract.ts';
import { PLACES } from './contract.ts';
import type { ExportOptions } from './options.ts';
import { visibleExports } from './visible-exports.ts';

const DELETED = { message: 'Export deleted' } as const;

/** DELETE …/exports/{export_id}. */
export const deleteExport: FastifyPluginAsyncZod<ExportOptions> = async (app, { db, now }) => {
  for (const { of, url, exportPath, config } of PLACES) {
    const schema = {
      ...tagged,
      summary: `Cancel or delete an export of ${of}`,
      description: 'An export that is not ready is canceled; one that is ready can no longer be downloaded.',
      params: exportPath,
      response: { 200: messageResponse(DELETED.message, 'The export is deleted'), ...refusals },
    };
    app.delete(
      `${url}/exports/:export_id`,
      { schema, config: { ...config, whileArchived: true } },
      async (request) => {
        const { export_id } = request.params;
        const visible = { export_id, ...visibleExports(request, now()) };
        const { organization_id, department_id } = found(await db.exports.findOneAndDelete(visible));
        // The TTL index deletes what a kill leaves here.
        await db.exportChunks.deleteMany({ export_id });
        await audit(db, request, now(), {
          action: 'export.delete',
          target: { export_id },
          organization_id,
          department_id,
        });
        return DELETED;
      },
    );
  }
};
