import { ANY_STRING } from '@gatehouse/shared/data/connect';
import { domainOf } from '@gatehouse/shared/identity/email';
import type { Domain } from '@gatehouse/shared/identity/sso';
import type { User } from '@gatehouse/shared/identity/user-record';
import { isActive } from '@gatehouse/shared/identity/users';
import type { Connection } from '@gatehouse/sso/connection-records';
import type { Account } from '@gatehouse/sso/host';
import type { Identity } from '@gatehouse/sso/records';
import { SsoRefusal } from '@gatehouse/sso/refusal';
import type { WithId } from 'mongodb';
import type { Database } from '../database.ts';
import { foreignDomain } from './address.ts';
import { departmentStages, type Places } from './department.ts';
import { requireActive } from './identity.ts';

/** A person who has logged in before. */
interface Person {
  identity: Identity;
  user: Account;
  places: Places;
}

type Found = Identity &
  Pick<Places, 'memberships'> &
  Partial<Pick<Places, 'departments'>> & {
    users: WithId<User>[];
    domains: Pick<Domain, 'verified_domain'>[];
  };

/**
 * Reads all that the login of a known person needs, in one round trip.
 * @param department which the provider names.
 * @returns undefined for an unknown subject.
 * @throws {SsoRefusal} account disabled, foreign domain.
 */
export async function findPerson(
  db: Database,
  connection: Connection,
  { subject, department }: { subject: string; department: string | undefined },
): Promise<Person | undefined> {
  const { connection_id, organization_id } = connection;
  const byUser = { localField: 'user_id', foreignField: 'user_id' };
  const named = departmentStages(connection, department);
  const [found] = await db.ssoIdentities
    .aggregate<Found>([
      { $match: { connection_id, subject } },
      {
        $lookup: {
          from: db.users.collectionName,
          ...byUser,
          pipeline: [{ $match: { user_id: ANY_STRING } }],
          as: 'users',
        },
      },
      {
        $lookup: {
          from: db.memberships.collectionName,
          ...byUser,
          pipeline: [{ $match: { organization_id } }],
          as: 'memberships',
        },
      },
      {
        $lookup: {
          from: db.ssoDomains.collectionName,
          pipeline: [{ $match: { organization_id } }, { $project: { verified_domain: 1 } }],
          as: 'domains',
        },
      },
      ...(named
        ? [{ $lookup: { from: db.departments.collectionName, pipeline: named, as: 'departments' } }]
        : []),
    ])
    .toArray();
  if (!found) return undefined;
  const { users, domains, memberships, departments = [], ...identity } = found;
  const [user] = users;
  const { user_id } = identity;
  requireActive(identity);
  if (!user) throw new SsoRefusal('account disabled', `the account ${user_id} no longer exists`);
  if (!isActive(user)) throw new SsoRefusal('account disabled', `the account ${user_id} is not active`);
  // The organization may have lost the domain since.
  const domain = domainOf(user.email);
  if (!domains.some(({ verified_domain }) => verified_domain === domain)) throw foreignDomain(domain);
  return { identity, user: { ...user, user_id }, places: { memberships, departments } };
}
