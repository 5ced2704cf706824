import { ANY_STRING, type Collections, collection } from '../data/connect.ts';
import { domainOf } from './email.ts';
import { planStages } from './sso-plan.ts';
import { type User, userIdOf } from './users.ts';

/** A domain of an organization, verified by a DNS record (CONTRACT.md §Domains). */
export interface Domain {
  domain_id: string;
  organization_id: string;
  /** In lower case. */
  domain: string;
  /** What its TXT record must hold. */
  token: string;
  /** Absent until the record was found. */
  verified_at?: Date;
  /** The domain itself once it is verified: one organization has it. */
  verified_domain?: string;
  /** Whether addresses of the domain must log in by single sign-on. */
  sso_required: boolean;
  /** The connection where its people log in; absent for the oldest one. */
  connection_id?: string;
  created_at: Date;
}

export const ssoDomainCollections = {
  ssoDomains: collection<Domain>('sso_domains', [
    { key: { domain_id: 1 }, unique: true },
    { key: { organization_id: 1, domain: 1 }, unique: true },
    { key: { verified_domain: 1 }, unique: true, partialFilterExpression: { verified_domain: ANY_STRING } },
  ]),
};

/** Matches the connections through which people can log in. */
export const USABLE = { enabled: true, deleted_at: { $exists: false } };

/**
 * Whether an account may not log in with its password: its domain requires single sign-on, and people can log in that
 * way, through an enabled connection and under the plan. Owners of the organization may: they must be able to repair it.
 * @param now Unix milliseconds.
 */
export async function requiresSso(
  { ssoDomains }: Collections<typeof ssoDomainCollections>,
  user: Pick<User, 'email' | 'user_id'>,
  now: number,
): Promise<boolean> {
  const required = { verified_domain: domainOf(user.email), sso_required: true };
  const refusing = await ssoDomains
    .aggregate([
      { $match: required },
      {
        $lookup: {
          from: 'organizations',
          localField: 'organization_id',
          foreignField: 'organization_id',
          as: 'organization',
        },
      },
      { $match: { 'organization.owners.user_id': { $ne: userIdOf(user) ?? '' } } },
      {
        $lookup: {
          from: 'sso_connections',
          localField: 'organization_id',
          foreignField: 'organization_id',
          pipeline: [{ $match: USABLE }, { $project: { connection_id: 1 } }],
          as: 'connections',
        },
      },
      {
        $match: {
          connections: { $ne: [] },
          $expr: {
            $or: [
              { $eq: [{ $type: '$connection_id' }, 'missing'] },
              { $in: ['$connection_id', '$connections.connection_id'] },
            ],
          },
        },
      },
      ...planStages(now),
      { $match: { $or: [{ paid_departments: { $ne: [] } }, { paying_owners: { $ne: [] } }] } },
      { $project: { _id: 1 } },
    ])
    .toArray();
  return refusing.length > 0;
}
