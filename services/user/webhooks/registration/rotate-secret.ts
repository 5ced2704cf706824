import { randomBytes } from 'node:crypto';
import { failures } from '@gatehouse/shared/http/errors';
import { jsonBody } from '@gatehouse/shared/http/fields';
import { callerId } from '@gatehouse/shared/identity/principal';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { config, oneRefused, ownWebhook, secretText, webhookId, webhooksOf } from '../contract.ts';
import type { WebhookOptions } from '../webhooks.ts';

/** Milliseconds for which a secret that was rotated out goes on signing. */
const OVERLAP = 24 * 3_600_000;
/** Secrets that sign beside the present one, at most. */
const MOST_PREVIOUS = 4;

const schema = {
  ...webhooksOf,
  summary: 'Rotate the secret',
  description:
    'To the secret in the body or, without one, to a new one, which this answer alone shows. For a day the secret before signs, too: `webhook-signature` holds both, `X-Service-Signature` is by the new one at once. The present secret given again changes nothing.',
  params: webhookId,
  body: jsonBody({ secret: secretText.exactOptional() })
    .nullable()
    .meta({ examples: [{ secret: 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD' }, {}] }),
  response: {
    200: z
      .object({
        webhook_id: z.string(),
        secret: z.string().exactOptional().meta({ description: 'Only where it was made here' }),
        previous_secret_until: z.string().nullable().meta({ format: 'date-time' }),
      })
      .meta({
        description: 'It is rotated',
        examples: [
          {
            webhook_id: '01936f2e-7d3c-7a44-8c1e-5b0f3f6a9d21',
            secret: 'whsec_2RkV0Rk3qP5wUuQ8o4Yk4m3J0bq0uYy7g3m0oX2nT1E=',
            previous_secret_until: '2026-01-16T09:30:00.000Z',
          },
        ],
      }),
    ...oneRefused,
    ...failures('catalogue', 'missingField', 'invalidFormat'),
  },
};

/** POST /api/v1/webhooks/{webhook_id}/rotate-secret. */
export const rotateSecret: FastifyPluginAsyncZod<WebhookOptions> = async (
  app,
  { db, now, secrets, kick },
) => {
  app.post('/api/v1/webhooks/:webhook_id/rotate-secret', { schema, config }, async (request, reply) => {
    const own = { ...request.params, owner_id: callerId(request) };
    const given = request.body?.secret;
    const secret = given ?? `whsec_${randomBytes(32).toString('base64')}`;
    // A gateway that remembers answers for an Idempotency-Key must not remember this one.
    reply.header('cache-control', 'no-store');
    for (;;) {
      const webhook = await ownWebhook(db, own);
      const { webhook_id, secret: present } = webhook;
      const at = now();
      const standing = webhook.previous_secrets.filter(({ until }) => until.getTime() > at);
      if (given !== undefined && given === secrets.open(present, webhook_id)) {
        return { webhook_id, previous_secret_until: standing[0]?.until.toISOString() ?? null };
      }
      const until = new Date(at + OVERLAP);
      const previous_secrets = [{ secret: present, until }, ...standing].slice(0, MOST_PREVIOUS);
      const { matchedCount } = await db.webhooks.updateOne(
        { ...own, secret: present },
        { $set: { secret: secrets.seal(secret, webhook_id), previous_secrets, updated_at: new Date(at) } },
      );
      // Otherwise another rotation was faster, and its secret is one of the previous now.
      if (matchedCount === 1) {
        kick([webhook_id]);
        return {
          webhook_id,
          ...(given === undefined && { secret }),
          previous_secret_until: until.toISOString(),
        };
      }
    }
  });
};
