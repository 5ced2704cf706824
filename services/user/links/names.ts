import { createHash } from 'node:crypto';
import { ANY_STRING } from '@gatehouse/shared/data/connect';
import type { User } from '@gatehouse/shared/identity/user-record';
import type { LoginName } from '@gatehouse/shared/identity/ways-in';
import type { SocialPerson } from '@gatehouse/sso/host';
import type { WithId } from 'mongodb';
import type { Database } from '../database.ts';

/** The login name of a person at a provider: issuer and subject identify them, and nothing else does. */
export const loginNameOf = ({ provider, issuer, subject }: SocialPerson): string =>
  `${provider.name}:${issuer} ${subject}`;

/** The provider of a link, by its name in the settings. */
export const providerOf = (link: string): string => link.slice(0, link.indexOf(':'));

/** Names a link in addresses, which must not hold the subject. */
export const linkIdOf = (link: string): string =>
  createHash('sha256').update(link).digest('base64url').slice(0, 22);

/** A stored login name, and the account with its `user_id`, if there is one. */
export interface FoundName {
  name: LoginName;
  holder: WithId<User> | undefined;
}

/** Reads a login name and its account in one round trip. */
export async function findName(db: Database, link: string): Promise<FoundName | undefined> {
  const [found] = await db.loginNames
    .aggregate<LoginName & { users: WithId<User>[] }>([
      { $match: { _id: link } },
      {
        $lookup: {
          from: db.users.collectionName,
          localField: 'user_id',
          foreignField: 'user_id',
          pipeline: [{ $match: { user_id: ANY_STRING } }],
          as: 'users',
        },
      },
    ])
    .toArray();
  if (!found) return undefined;
  const { users, ...name } = found;
  return { name, holder: users[0] };
}

/** The account that a login name opens: the one that it names, if that lists it in `links`. */
export const accountOf = ({ holder }: Partial<FoundName> = {}, link: string): WithId<User> | undefined =>
  holder?.links?.includes(link) ? holder : undefined;
