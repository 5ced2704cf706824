import type { Document } from 'mongodb';
import { ANY_STRING, type Collections, collection } from '../data/connect.ts';
import { domainOf } from './email.ts';
import type { User } from './user-record.ts';
import { ACTIVE, userIdOf } from './users.ts';

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

/** What `domainStages` adds to a document. */
export interface DomainRules {
  domain: string;
  domain_rules: unknown[];
}

/**
 * Reads, in the round trip that reads an account, whether its domain has a rule. Most domains have none, and
 * `requiresSso` need not ask. `npm run bench -- passkey-login`, goal 10: 8.7 to 9.1 with them, 7.4 to 7.7 with one more read.
 * @param email the path of the address, such as `$user.email`.
 */
export const domainStages = (email: string): Document[] => [
  { $set: { domain: { $toLower: { $last: { $split: [email, '@'] } } } } },
  {
    $lookup: {
      from: 'sso_domains',
      localField: 'domain',
      foreignField: 'verified_domain',
      pipeline: [{ $match: { verified_domain: ANY_STRING, sso_required: true } }, { $project: { _id: 1 } }],
      as: 'domain_rules',
    },
  },
];

/** Whether `requiresSso` must be asked: also for an address whose domain the database spells in another way. */
export const mayRequireSso = ({ domain, domain_rules }: DomainRules, email: string): boolean =>
  domain_rules.length > 0 || domain !== domainOf(email);

/** What `planStages` adds to a document. */
export interface SsoPlan {
  paid_departments: unknown[];
  paying_owners: unknown[];
}

/**
 * Whether an organization has single sign-on: one of its departments has an Enterprise plan that is paid or in the grace
 * after a failed payment, or one of its Owners who can act has it as their own (CONTRACT.md §Single sign-on).
 */
export const includesSso = ({ paid_departments, paying_owners }: SsoPlan): boolean =>
  paid_departments.length > 0 || paying_owners.length > 0;

/**
 * Reads the plan of the organization that a document names, in the round trip that reads the document. The collections
 * belong to the user service; the login service reads them too.
 * @param now Unix milliseconds.
 */
export function planStages(now: number): Document[] {
  const one = [{ $limit: 1 }, { $project: { _id: 1 } }];
  const paidDepartment = {
    'billing.subscription_plan': 'Enterprise',
    $or: [{ 'billing.payment_status': 'paid' }, { 'payment_grace.ends_at': { $gt: new Date(now) } }],
  };
  // An organization without Owners joins like null: it must not find the accounts that have no user_id.
  const paying = { user_id: ANY_STRING, subscription_plan: 'Enterprise', ...ACTIVE };
  const payingOwners = {
    from: 'users',
    localField: 'owners.user_id',
    foreignField: 'user_id',
    pipeline: [{ $match: paying }, ...one],
    as: 'paying',
  };
  const organization = { localField: 'organization_id', foreignField: 'organization_id' };
  return [
    {
      $lookup: {
        from: 'departments',
        ...organization,
        pipeline: [{ $match: paidDepartment }, ...one],
        as: 'paid_departments',
      },
    },
    {
      $lookup: {
        from: 'organizations',
        ...organization,
        pipeline: [{ $lookup: payingOwners }, { $match: { paying: { $ne: [] } } }, ...one],
        as: 'paying_owners',
      },
    },
  ];
}
