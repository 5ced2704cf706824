import { isDuplicateKey } from '@gatehouse/shared/data/connect';
import type { SsoOptions } from '../dependencies.ts';
import { SsoRefusal } from '../refusal.ts';

/**
 * Claims a message of a provider for one use, with one write, so only one of several identical calls succeeds.
 * @param id the assertion's ID (SAML) or `jti` (OpenID Connect), unique for the connection.
 * @param until when the message is no longer accepted; Unix milliseconds.
 * @throws {SsoRefusal} message used before.
 */
export async function useOnce(
  { db }: Pick<SsoOptions, 'db'>,
  connection_id: string,
  id: string,
  until: number,
): Promise<void> {
  try {
    await db.ssoUsedMessages.insertOne({ key: `${connection_id}:${id}`, expires_at: new Date(until) });
  } catch (error) {
    if (!isDuplicateKey(error)) throw error;
    throw new SsoRefusal('message used before', id);
  }
}

/** Whether a message has been claimed. */
export const wasUsed = async (
  { db }: Pick<SsoOptions, 'db'>,
  connection_id: string,
  id: string,
): Promise<boolean> => (await db.ssoUsedMessages.findOne({ key: `${connection_id}:${id}` })) !== null;
