import type { SsoOptions } from '../options.ts';
import type { Connection } from '../records.ts';

/** The secrets of a connection, each in the settings of its protocol. */
const SECRETS = [
  ['saml', 'sp_private_key'],
  ['oidc', 'client_secret'],
  ['ldap', 'bind_password'],
] as const;

/**
 * Seals every secret again that an older key sealed, so that the older key can be removed after one start. A secret
 * that none of the configured keys opens stays as it is.
 */
export async function resealSecrets({ db, secrets }: Pick<SsoOptions, 'db' | 'secrets'>): Promise<void> {
  const fields = SECRETS.map(([protocol, field]) => `${protocol}.${field}`);
  const projection = Object.fromEntries(['connection_id', ...fields].map((field) => [field, 1]));
  for await (const connection of db.ssoConnections.find({}, { projection })) {
    const { connection_id } = connection;
    for (const [protocol, field] of SECRETS) {
      const sealed = (connection[protocol] as Record<string, string | null> | undefined)?.[field];
      if (!sealed || secrets.isCurrent(sealed)) continue;
      const path = `${protocol}.${field}`;
      try {
        const resealed = secrets.seal(secrets.open(sealed, connection_id), connection_id);
        // The filter skips a secret that was replaced meanwhile.
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
