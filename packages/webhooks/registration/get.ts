import { tenantOf } from '@gatehouse/shared/access/tenant';
import { oneOf } from '@gatehouse/shared/http/fields';
import { z } from 'zod';
import { presentWebhook, webhookRecord } from '../contract.ts';
import { operation } from '../dependencies.ts';
import { countedHealth, readHealth } from '../history/get-health.ts';
import { managedWebhook } from '../managed.ts';

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
    'Returns everything but the secret and the values of its headers. A webhook that the caller does not manage returns 404. With `include=details`, also returns its health, as `GET …/health` does, and the names of its organization and department.',
  query: z.object({ include: oneOf(['details']).optional() }),
  returns: webhookRecord.extend({ details: details.exactOptional() }).meta(webhookRecord.meta() ?? {}),
  async handle({ db, host, now, query, request }) {
    const webhook = await managedWebhook({ db, host }, request);
    const record = presentWebhook(webhook, now());
    if (!query.include) return record;
    const [names, health] = await Promise.all([
      host.namesOf(tenantOf(webhook)),
      readHealth(db, webhook, now()),
    ]);
    return {
      ...record,
      details: { organization_name: names.organization, department_name: names.department, health },
    };
  },
});
