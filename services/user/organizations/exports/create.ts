import { randomUUIDv7 } from 'node:crypto';
import { AppError } from '@gatehouse/shared/http/errors';
import { expecting, jsonBody, oneOf } from '@gatehouse/shared/http/fields';
import { z } from 'zod';
import { membershipOf } from '../../access/membership.ts';
import { operation } from '../operation.ts';
import { tenantInPath } from '../places.ts';
import { viewPermissionsOf } from '../visible-events.ts';
import { exportRecord, PLACES, presentExport } from './contract.ts';
import { DATA_SETS } from './data-sets.ts';
import { insertWithinQuota } from './quota.ts';
import { DATA_SET_NAMES, EXPORT_FORMATS, KEPT_DAYS, MAX_RUNNING, MAX_STORED } from './records.ts';

const description = `A job reads the data and stores the export for ${KEPT_DAYS} days. Members and invitations also need \`view users\`, chatbots \`view chatbot\`, and billing \`view billing\`. Audit events hold only what the caller’s role may see: addresses of people are for Owners of the organization, and names need \`view users\`. At most ${MAX_STORED} exports of an organization are stored, and ${MAX_RUNNING} run at a time.`;

const body = jsonBody({
  format: oneOf(EXPORT_FORMATS),
  data: z
    .array(oneOf(DATA_SET_NAMES), expecting('must be a list of data sets'))
    .min(1, { error: 'must name a data set' })
    .max(DATA_SET_NAMES.length, { error: 'must name each data set once' }),
}).meta({ examples: [{ format: 'csv', data: ['members', 'chatbots'] }] });

export const createExports = PLACES.map(({ of, path, needs, byKey }) =>
  operation(`POST ${path}/exports`, {
    needs,
    byKey,
    whileArchived: true,
    summary: `Export the data of ${of}`,
    description,
    body,
    returns: { 202: exportRecord },
    audits: ['export.create'],
    async handle({ db, now, wakeExports, request, body, audit }) {
      const { format } = body;
      const data = [...new Set(body.data)];
      const permissions = viewPermissionsOf(request);
      for (const name of data) {
        const { needs } = DATA_SETS[name];
        if (needs && !permissions.has(needs))
          throw new AppError('forbidden', { text: `To export ${name} needs the permission "${needs}"` });
      }
      const place = tenantInPath(request);
      const at = now();
      const export_id = randomUUIDv7();
      const uses = new Set(data.flatMap((name) => DATA_SETS[name].uses));
      const job = await insertWithinQuota(
        db,
        {
          export_id,
          ...place,
          created_by: membershipOf(request).caller,
          format,
          data,
          sees: [...permissions].filter((each) => uses.has(each)),
          status: 'pending',
          rows_total: null,
          rows_done: 0,
          files: [],
          error: null,
          created_at: new Date(at),
          finished_at: null,
          expires_at: new Date(at + KEPT_DAYS * 86_400_000),
          due_at: new Date(at),
          lease: null,
          claims: 0,
        },
        at,
      );
      await audit('export.create', { target: { export_id }, after: { format, data } });
      wakeExports();
      return presentExport(job);
    },
  }),
);
