import { tenantOf } from '@gatehouse/shared/access/tenant';
import { optimistic } from '@gatehouse/shared/durable/optimistic';
import { AppError, orNotFound } from '@gatehouse/shared/http/errors';
import { jsonBody, oneOf } from '@gatehouse/shared/http/fields';
import { presentWebhook, settings, webhookRecord } from '../contract.ts';
import { END_FAILURES, healthOf, withoutFailures } from '../delivery/health.ts';
import { operation } from '../dependencies.ts';
import { managedWebhook } from '../managed.ts';
import { auditedWebhook } from '../records.ts';
import { changedHeaders, changeHeaders, LEFT_HEADERS, leavesHeaders, TOO_MANY_HEADERS } from './headers.ts';

const FIELDS = 'url, events, status, name, description, chatbot_ids or headers';

const changes = jsonBody({
  url: settings.url.exactOptional(),
  events: settings.events.exactOptional(),
  status: oneOf(['active', 'paused']).exactOptional(),
  name: settings.name.exactOptional(),
  description: settings.description.exactOptional(),
  chatbot_ids: settings.chatbot_ids.exactOptional(),
  headers: changedHeaders.exactOptional(),
})
  .refine((fields) => Object.keys(fields).length > 0, { error: `must contain ${FIELDS}` })
  .meta({
    examples: [{ status: 'paused' }, { headers: { Authorization: 'Bearer 8d4e1f62', 'X-Tenant': null } }],
  });

export const updateWebhook = operation('PATCH /api/v1/webhooks/{webhook_id}', {
  needs: 'administration',
  supportSession: 'refused',
  summary: 'Change a webhook',
  description:
    'Changes the fields in the body for every attempt that is not in flight. Headers are merged: null removes one. If the URL changes, name every header: a caller must not send a value that they cannot read to a receiver of their own. Deliveries of a paused webhook wait. Setting `status` to `active` sends them, also after the webhook was disabled, and resets the count of failures. Pending deliveries of an event that is no longer subscribed become `failed` without an attempt. The account, organization or department of a webhook does not change.',
  body: changes,
  returns: webhookRecord,
  audits: ['webhook.update'],
  async handle({
    db,
    host,
    now,
    secrets,
    validateReceiverUrl,
    webhookChanged,
    audit,
    body: { events, chatbot_ids, headers: given, ...fields },
    request,
  }) {
    if (fields.url !== undefined) await validateReceiverUrl(fields.url);
    return optimistic(async () => {
      const webhook = await managedWebhook({ db, host }, request);
      const { webhook_id } = webhook;
      const headers = given && changeHeaders(secrets, webhook_id, webhook.headers ?? [], given);
      if (headers === null) throw new AppError('invalidFormat', { text: TOO_MANY_HEADERS });
      const moves = fields.url !== undefined && fields.url !== webhook.url;
      if (moves && leavesHeaders(webhook.headers, given))
        throw new AppError('invalidFormat', { text: LEFT_HEADERS });
      const $set = {
        ...fields,
        ...(events && { events: [...new Set(events)] }),
        ...(chatbot_ids && { chatbot_ids: [...new Set(chatbot_ids)] }),
        ...(headers && { headers }),
        ...(fields.status && { disabled: null }),
        updated_at: new Date(now()),
      };
      const startsAnew = fields.status === 'active' || fields.url !== undefined;
      const unchanged = (headers || moves) && { headers: webhook.headers ?? { $exists: false } };
      const before = await db.webhooks.findOneAndUpdate(
        { webhook_id, ...unchanged },
        { $set: { ...$set, ...(startsAnew && END_FAILURES) } },
        { returnDocument: 'before' },
      );
      // A concurrent call changed the headers, or deleted the webhook.
      if (!before && unchanged) return undefined;
      const changed = { ...orNotFound(before), ...$set };
      if (startsAnew) changed.health = withoutFailures(healthOf(changed));
      // The receiver's Retry-After applied to the previous settings.
      await webhookChanged(webhook_id, { endPause: true });
      await audit('webhook.update', {
        target: { webhook_id },
        ...tenantOf(changed),
        before: auditedWebhook(orNotFound(before)),
        after: auditedWebhook(changed),
      });
      return presentWebhook(changed, now());
    });
  },
});
