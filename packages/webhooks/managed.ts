import { tenantOf } from '@gatehouse/shared/access/tenant';
import { AppError, orNotFound } from '@gatehouse/shared/http/errors';
import { callerId } from '@gatehouse/shared/identity/principal';
import type { Visible } from '@gatehouse/shared/operation/lists';
import type { FastifyRequest } from 'fastify';
import type { WithId } from 'mongodb';
import type { Database } from './database.ts';
import type { NamedTenant, WebhookHost } from './host.ts';
import type { Webhook } from './records.ts';

/** Users manage their own webhooks, and those of tenants that they administer. */

/** Filters for the webhooks that the caller manages; no two match the same webhook. */
export async function managedBy(
  host: WebhookHost,
  request: FastifyRequest,
  named: NamedTenant,
): Promise<Visible<Webhook>[]> {
  const { organizations, departments } = await host.administeredBy(request, named);
  return [
    { within: { owner_id: callerId(request) } },
    { within: { owner_id: null, organization_id: { $in: organizations } } },
    {
      within: {
        owner_id: null,
        organization_id: { $in: departments.map(({ organization_id }) => organization_id) },
        department_id: { $in: departments.map(({ department_id }) => department_id) },
      },
    },
  ];
}

/**
 * Finds the webhook that the path names.
 * @throws {AppError} notFound, also for a webhook that only others manage; forbidden for a write in an archived tenant.
 */
export async function managedWebhook(
  { db, host }: { db: Database; host: WebhookHost },
  request: FastifyRequest,
): Promise<WithId<Webhook>> {
  const { webhook_id } = request.params as { webhook_id: string };
  const webhook = orNotFound(await db.webhooks.findOne({ webhook_id }));
  if (webhook.owner_id === callerId(request)) return webhook;
  const { organization_id, department_id } = tenantOf(webhook);
  if (webhook.owner_id !== null || organization_id === null) throw new AppError('notFound');
  await host.assertAdministers(request, { organization_id, department_id });
  return webhook;
}
