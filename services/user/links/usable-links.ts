import type { Config } from '@gatehouse/shared/config';
import type { SocialClient } from '@gatehouse/shared/config/social';
import type { User } from '@gatehouse/shared/identity/user-record';
import type { Database } from '../database.ts';
import { ownLinks } from './list-links.ts';

/** Returns the links that open an account: their names are its own, and their providers are still offered. */
export async function usableLinks(
  { config, db }: { config: Pick<Config<'user'>, 'SOCIAL'>; db: Pick<Database, 'loginNames'> },
  { links, user_id = '' }: Pick<User, 'links' | 'user_id'>,
): Promise<string[]> {
  const names = await ownLinks(db, links, user_id);
  return names.map(({ _id }) => _id).filter((link) => config.SOCIAL.some((client) => serves(client, link)));
}

/** Whether people of a link can come through a client. At Microsoft their tenant is the issuer. */
const serves = ({ name, kind, issuer }: SocialClient, link: string): boolean =>
  link.startsWith(kind === 'microsoft' ? `${name}:` : `${name}:${issuer} `);
