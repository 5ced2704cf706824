import type { Connection } from '../connection-records.ts';
import type { SsoOptions } from '../dependencies.ts';

/** Where a connection holds secrets. */
const SECRETS = [
  'saml.sp_private_key',
  'own_keys.next.private_key',
  'own_keys.previous.private_key',
  'oidc.client_secret',
  'ldap.bind_password',
] as const;

/**
 * Reseals every secret that an older key sealed; the older key can be removed after one start. A secret that none of
 * the configured keys opens stays as it is.
 */
export async function resealSecrets({ db, secrets }: Pick<SsoOptions, 'db' | 'secrets'>): Promise<void> {
  const projection = Object.fromEntries(['connection_id', ...SECRETS].map((field) => [field, 1]));
  for await (const connection of db.ssoConnections.find({}, { projection })) {
    const { connection_id } = connection;
    for (const path of SECRETS) {
      const sealed = valueAt(connection, path);
      if (sealed === undefined || secrets.isCurrent(sealed)) continue;
      try {
        const resealed = secrets.seal(secrets.open(sealed, connection_id), connection_id);
        // The filter skips a secret that was replaced since it was read.
        await db.ssoConnections.updateOne(
          { connection_id, [path]: sealed },
          { $set: { [path]: resealed } as Partial<Connection> },
        );
      } catch {
        // No configured key opens it. Logins that need it report the error.
      }
    }
  }
}

function valueAt(connection: Connection, path: string): string | undefined {
  let value: unknown = connection;
  for (const name of path.split('.')) value = (value as Record<string, unknown> | null | undefined)?.[name];
  return typeof value === 'string' ? value : undefined;
}
