import type { Secrets } from '@gatehouse/shared/data/secrets';
import type { Database } from '../database.ts';
import { resealHeaders } from './headers.ts';

/**
 * Encrypts every secret of an older key again with the current one. After one start the older key can be removed. A
 * secret that no configured key decrypts stays unchanged.
 */
export async function resealWebhookSecrets(db: Database, secrets: Secrets): Promise<void> {
  const projection = { webhook_id: 1, secret: 1, previous_secrets: 1, headers: 1 } as const;
  for await (const webhook of db.webhooks.find({}, { projection })) {
    const { webhook_id, secret, previous_secrets, headers } = webhook;
    const all = [
      secret,
      ...previous_secrets.map((previous) => previous.secret),
      ...(headers ?? []).map(({ value }) => value),
    ];
    if (all.every(secrets.isCurrent)) continue;
    const reseal = (sealed: string) => secrets.seal(secrets.open(sealed, webhook_id), webhook_id);
    try {
      const previous = previous_secrets.map(({ until, ...one }) => ({ secret: reseal(one.secret), until }));
      const resealed = { secret: reseal(secret), previous_secrets: previous };
      // The filter skips a webhook whose secret or headers have just changed.
      await db.webhooks.updateOne(
        { webhook_id, secret, headers: headers ?? { $exists: false } },
        { $set: { ...resealed, ...(headers && { headers: resealHeaders(secrets, webhook) }) } },
      );
    } catch {
      // No configured key opens it. Attempts to sign with it report the error.
    }
  }
}
