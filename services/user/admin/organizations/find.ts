import { escapeRegex } from '@gatehouse/shared/operation/lists';
import type { CountDocumentsOptions, Document, Filter } from 'mongodb';
import type { Database } from '../../database.ts';
import {
  BY_CREATION,
  BY_NAME,
  NAME_COLLATION,
  type Organization,
  PAYMENT_STATUSES,
  PLANS,
} from '../../organizations/records.ts';

interface Query {
  page: number;
  limit: number;
  order: 'asc' | 'desc';
  search?: string | undefined;
  archived?: 'true' | 'false' | undefined;
  plan?: (typeof PLANS)[number] | undefined;
  payment_status?: (typeof PAYMENT_STATUSES)[number] | undefined;
}

interface Found {
  organizations: Organization[];
  total: number;
}

type Limits = Pick<CountDocumentsOptions, 'maxTimeMS'>;

/** A longer list is not counted to its end. */
const MAX_COUNT = 10_000;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
/** Later than every date. */
const END = '9999';
/** Sorts after every other character (CLDR). */
const LAST = '\uffff';

const skipOf = ({ page, limit }: Query): number => (page - 1) * limit;
const counted = ({ page, limit }: Query): number => Math.max(MAX_COUNT, page * limit + 1);

const archivedIs = ({ archived }: Query): Filter<Organization> => {
  if (archived === undefined) return {};
  return { archived_at: archived === 'true' ? { $lt: END } : { $exists: false } };
};

/** Finds organizations by id, by the beginning of their name, or all of them. */
export async function findOrganizations(db: Database, query: Query, limits: Limits): Promise<Found> {
  const { search = '', order } = query;
  const isName = search !== '' && !UUID.test(search);
  const filter: Filter<Organization> = {
    ...(isName
      ? { name: { $gte: search, $lt: `${search}${LAST}` } }
      : search
        ? { organization_id: search.toLowerCase() }
        : query.archived === 'true'
          ? {}
          : { created_at: { $lt: END } }),
    ...archivedIs(query),
  };
  const direction = order === 'asc' ? 1 : -1;
  const options = {
    ...limits,
    ...(isName && { collation: NAME_COLLATION, hint: BY_NAME }),
    ...(search === '' && { hint: query.archived === 'true' ? { archived_at: 1 as const } : BY_CREATION }),
  };
  const sort = isName ? BY_NAME : { created_at: direction, organization_id: direction };
  const [organizations, total] = await Promise.all([
    db.organizations
      .find(filter, { ...options, sort: sort as Document, skip: skipOf(query), limit: query.limit })
      .toArray(),
    db.organizations.countDocuments(filter, { ...options, limit: counted(query) }),
  ]);
  return { organizations, total };
}

/** Finds organizations with a department of a plan and payment status, from the departments. */
export async function findByBilling(db: Database, query: Query, limits: Limits): Promise<Found> {
  const { search = '', plan, payment_status, order } = query;
  const matching = {
    'billing.payment_status': payment_status ?? { $in: [...PAYMENT_STATUSES] },
    'billing.subscription_plan': plan ?? { $in: [...PLANS] },
  };
  const name = { $regex: `^${escapeRegex(search)}`, $options: 'i' };
  const pipeline: Document[] = [
    { $match: matching },
    { $group: { _id: '$organization_id' } },
    { $sort: { _id: order === 'asc' ? 1 : -1 } },
    {
      $lookup: {
        from: db.organizations.collectionName,
        localField: '_id',
        foreignField: 'organization_id',
        as: 'organization',
      },
    },
    { $unwind: '$organization' },
    { $replaceRoot: { newRoot: '$organization' } },
    {
      $match: {
        ...(search && (UUID.test(search) ? { organization_id: search.toLowerCase() } : { name })),
        ...archivedIs(query),
      },
    },
  ];
  const [organizations, [count]] = await Promise.all([
    db.departments
      .aggregate<Organization>([...pipeline, { $skip: skipOf(query) }, { $limit: query.limit }], limits)
      .toArray(),
    db.departments
      .aggregate<{ total: number }>([...pipeline, { $limit: counted(query) }, { $count: 'total' }], limits)
      .toArray(),
  ]);
  return { organizations, total: count?.total ?? 0 };
}
