import { createFactorSecrets } from '@gatehouse/shared/data/secrets';
import { factorRecord } from '@gatehouse/shared/identity/second-factor';
import type { FactorDependencies } from './operation.ts';

/**
 * Seals the secret of every second factor again that an older key sealed, so that the older key can be removed after
 * one start. A secret that none of the configured keys opens stays as it is.
 */
export async function resealSecrets({
  config,
  db,
}: Pick<FactorDependencies, 'config' | 'db'>): Promise<void> {
  const secrets = createFactorSecrets(config);
  const stale = { $or: secrets.notCurrent.map((range) => ({ 'second_factor.secret': range })) };
  for await (const { _id, second_factor } of db.users.find(stale, { projection: { second_factor: 1 } })) {
    if (!second_factor) continue;
    const { id, secret } = second_factor;
    try {
      const resealed = secrets.seal(secrets.open(secret, factorRecord(id)), factorRecord(id));
      // The filter skips a factor that was replaced meanwhile.
      await db.users.updateOne(
        { _id, 'second_factor.secret': secret },
        { $set: { 'second_factor.secret': resealed } },
      );
    } catch {
      // No configured key opens it. Logins that need it report the error.
    }
  }
}
