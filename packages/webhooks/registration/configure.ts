import { randomUUIDv7 } from 'node:crypto';
import { jsonBody, line } from '@gatehouse/shared/http/fields';
import { z } from 'zod';
import { secretText, settings } from '../contract.ts';
import { operation } from '../dependencies.ts';
import { auditedWebhook } from '../records.ts';
import { changeHeaders, newHeaders } from './headers.ts';
import { insertWithinLimit } from './slots.ts';

/** A webhook of an account has no tenant. */
const PERSONAL = { organization_id: null, department_id: null };

/** CONTRACT.md §Webhook registration. */
export const configureWebhook = operation('POST /api/v1/webhooks/configure', {
  needs: 'administration',
  supportSession: 'refused',
  summary: 'Configure a webhook',
  description: `The webhook is active immediately and receives later events. Its host must have only public addresses, and the operator must allow its port, by default 80, 443 or 8000 to 9999. The secret signs every delivery and is never returned. With a \`department_id\` or \`organization_id\`, the webhook belongs to that department or organization instead of the caller. It then receives the events of the department, or of the organization and all of its departments. The Owners and Admins there manage it, and it stays when the caller leaves. The plan limits the number of webhooks.`,
  body: jsonBody({
    url: settings.url,
    events: settings.events,
    secret: secretText,
    organization_id: line(200).exactOptional(),
    department_id: line(200).exactOptional(),
    name: settings.name.default(null),
    description: settings.description.default(null),
    chatbot_ids: settings.chatbot_ids.default([]),
    headers: newHeaders.default({}),
  }).meta({
    examples: [
      {
        url: 'https://app.example.com/hooks',
        events: ['conversation.started', 'payment.failed'],
        secret: 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD',
      },
      {
        url: 'https://helpdesk.example.com/hooks',
        events: ['conversation.started'],
        secret: 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD',
        department_id: '01936f2f-02b1-7c1f-9a77-3f1d3c0e8b52',
        name: 'Helpdesk',
        chatbot_ids: ['01936f2e-7d3c-7a44-8c1e-5b0f3f6a9d21'],
        headers: { Authorization: 'Bearer 8d4e1f62' },
      },
    ],
  }),
  returns: {
    201: z
      .object({
        webhook_id: z.string(),
        status: z.literal('active'),
        created_at: z.string().meta({ format: 'date-time' }),
      })
      .meta({
        description: 'The webhook is configured',
        examples: [
          {
            webhook_id: '01936f2e-7d3c-7a44-8c1e-5b0f3f6a9d21',
            status: 'active',
            created_at: '2026-01-15T09:30:00.000Z',
          },
        ],
      }),
  },
  fails: ['notFound'],
  audits: ['webhook.create'],
  async handle({ db, host, now, secrets, validateReceiverUrl, caller: created_by, audit, body, request }) {
    const { url, secret, organization_id, department_id, name, description } = body;
    const tenant =
      organization_id === undefined && department_id === undefined
        ? PERSONAL
        : await host.administeredTenant(request, { organization_id, department_id });
    await validateReceiverUrl(url);
    const at = new Date(now());
    const webhook_id = randomUUIDv7();
    const configured = {
      url,
      events: [...new Set(body.events)],
      status: 'active' as const,
      name,
      description,
      chatbot_ids: [...new Set(body.chatbot_ids)],
      headers: changeHeaders(secrets, webhook_id, [], body.headers) ?? [],
    };
    const webhook = {
      webhook_id,
      owner_id: tenant.organization_id === null ? created_by : null,
      created_by,
      ...tenant,
      ...configured,
      secret: secrets.seal(secret, webhook_id),
      previous_secrets: [],
      created_at: at,
      updated_at: at,
      due_at: null,
      lease: null,
      held_until: null,
      wakes: 0,
    };
    await insertWithinLimit(db, webhook, await host.webhookLimit(request, tenant));
    await audit('webhook.create', { target: { webhook_id }, ...tenant, after: auditedWebhook(configured) });
    return { webhook_id, status: 'active' as const, created_at: at.toISOString() };
  },
});
