import { randomBytes } from 'node:crypto';
import { tenantOf } from '@gatehouse/shared/access/tenant';
import { optimistic } from '@gatehouse/shared/durable/optimistic';
import { jsonBody } from '@gatehouse/shared/http/fields';
import { z } from 'zod';
import { secretText } from '../contract.ts';
import { operation } from '../dependencies.ts';
import { managedWebhook } from '../managed.ts';

/** Milliseconds for which a rotated-out secret continues to sign. */
const OVERLAP = 24 * 3_600_000;
/** Previous secrets that sign in addition to the current one. */
const MAX_PREVIOUS = 4;

export const rotateSecret = operation('POST /api/v1/webhooks/{webhook_id}/rotate-secret', {
  needs: 'administration',
  returnsSecret: true,
  summary: 'Rotate the secret',
  description:
    'Replaces the secret with the one in the body, or with a generated secret that only this response shows. The previous secret also signs for 24 hours: `webhook-signature` carries both signatures, `X-Service-Signature` uses the new secret immediately. Sending the current secret again changes nothing.',
  body: jsonBody({ secret: secretText.exactOptional() })
    .nullable()
    .meta({ examples: [{ secret: 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD' }, {}] }),
  returns: z
    .object({
      webhook_id: z.string(),
      secret: z.string().exactOptional().meta({ description: 'Present if the secret was generated' }),
      previous_secret_until: z.string().nullable().meta({ format: 'date-time' }),
    })
    .meta({
      description: 'The secret is rotated',
      examples: [
        {
          webhook_id: '01936f2e-7d3c-7a44-8c1e-5b0f3f6a9d21',
          secret: 'whsec_2RkV0Rk3qP5wUuQ8o4Yk4m3J0bq0uYy7g3m0oX2nT1E=',
          previous_secret_until: '2026-01-16T09:30:00.000Z',
        },
      ],
    }),
  audits: ['webhook.rotate'],
  async handle({ db, host, now, secrets, webhookChanged, audit, body, request }) {
    const given = body?.secret;
    const secret = given ?? `whsec_${randomBytes(32).toString('base64')}`;
    return optimistic(async () => {
      const webhook = await managedWebhook({ db, host }, request);
      const { webhook_id, secret: current } = webhook;
      const at = now();
      const stillValid = webhook.previous_secrets.filter(({ until }) => until.getTime() > at);
      if (given !== undefined && given === secrets.open(current, webhook_id)) {
        return { webhook_id, previous_secret_until: stillValid[0]?.until.toISOString() ?? null };
      }
      const until = new Date(at + OVERLAP);
      const previous_secrets = [{ secret: current, until }, ...stillValid].slice(0, MAX_PREVIOUS);
      const { matchedCount } = await db.webhooks.updateOne(
        { webhook_id, secret: current },
        { $set: { secret: secrets.seal(secret, webhook_id), previous_secrets, updated_at: new Date(at) } },
      );
      // Otherwise a concurrent rotation won: retry, which keeps its secret among the previous ones.
      if (matchedCount === 1) {
        await webhookChanged(webhook_id);
        await audit('webhook.rotate', { target: { webhook_id }, ...tenantOf(webhook) });
        return {
          webhook_id,
          ...(given === undefined && { secret }),
          previous_secret_until: until.toISOString(),
        };
      }
    });
  },
});
