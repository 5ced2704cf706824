import { oneOf } from '@gatehouse/shared/http/fields';
import { z } from 'zod';
import type { Database } from '../../database.ts';
import { managedWebhook, presentWebhook, webhookRecord } from '../contract.ts';
import { countedHealth, readHealth } from '../history/read-health.ts';
import { operation } from '../operation.ts';
import { placeOf, type Webhook } from '../records.ts';

/** What `include=details` adds. */
const details = z.object({
  organization_name: z.string().nullable(),
  department_name: z.string().nullable().meta({ description: 'Null if it belongs to no department' }),
  health: countedHealth,
});

export const getWebhook = operation('GET /api/v1/webhooks/{webhook_id}', {
  needs: 'administration',
  summary: 'Read a webhook',
  description:
    'Returns everything but the secret and the values of its headers. A webhook that only others manage is 404. With `include=details`, also its health as `GET …/health` answers it, and the names of its organization and department.',
  query: z.object({ include: oneOf(['details']).optional() }),
  returns: webhookRecord.extend({ details: details.exactOptional() }).meta(webhookRecord.meta() ?? {}),
  async handle({ db, now, query, request }) {
    const webhook = await managedWebhook(db, request);
    const record = presentWebhook(webhook, now());
    if (!query.include) return record;
    const [names, health] = await Promise.all([namesOf(db, webhook), readHealth(db, webhook, now())]);
    return { ...record, details: { ...names, health } };
  },
});

/** The names of the place of a webhook. */
async function namesOf(db: Database, webhook: Webhook) {
  const { organization_id, department_id } = placeOf(webhook);
  const named = { projection: { _id: 0, name: 1 } };
  const [organization, department] = await Promise.all([
    organization_id === null ? null : db.organizations.findOne({ organization_id }, named),
    department_id === null ? null : db.departments.findOne({ department_id }, named),
  ]);
  return { organization_name: organization?.name ?? null, department_name: department?.name ?? null };
}
