import type { SsoOptions } from '../dependencies.ts';
import type { ProviderSession } from '../records.ts';
import { SsoRefusal } from '../refusal.ts';

/**
 * Checks, once a session is stored, that its account is still linked: unlinking removes the subject first, and then
 * ends the sessions that it finds.
 * @throws {SsoRefusal} login not begun here.
 */
export async function requireLinked(
  { db }: Pick<SsoOptions, 'db'>,
  { connection_id, user_id, subject }: Pick<ProviderSession, 'connection_id' | 'user_id' | 'subject'>,
): Promise<void> {
  const linked = await db.ssoIdentities.findOne(
    { connection_id, user_id, subject },
    { projection: { _id: 1 } },
  );
  if (!linked) throw new SsoRefusal('login not begun here', 'the identity was unlinked during the login');
}
