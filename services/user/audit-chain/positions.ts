import type { AuditLink } from '@gatehouse/shared/identity/audit-chain/records';
import type { Filter } from 'mongodb';
import type { Database } from '../database.ts';

const DAY = 86_400_000;

/** UTC days, both inclusive. */
export interface Range {
  from?: Date;
  to?: Date;
}

/** Matches the links of these days by their positions, so that they are read in order of the `_id` index. */
export async function positionsIn(
  db: Pick<Database, 'auditChain'>,
  { from, to }: Range,
): Promise<Filter<AuditLink>> {
  if (!from && !to) return {};
  return {
    _id: {
      ...(from && { $gte: await firstPosition(db, from) }),
      ...(to && { $lt: await firstPosition(db, new Date(to.getTime() + DAY)) }),
    },
  };
}

/** The first position on this day or later, by bisection: days never decrease. */
async function firstPosition({ auditChain }: Pick<Database, 'auditChain'>, day: Date): Promise<number> {
  const last = await auditChain.findOne({}, { sort: { _id: -1 }, projection: { day: 1 } });
  let [low, high] = [1, (last?._id ?? 0) + 1];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const found = await auditChain.findOne(
      { _id: { $gte: middle } },
      { sort: { _id: 1 }, projection: { day: 1 } },
    );
    if (!found || found.day >= day) high = middle;
    else low = found._id + 1;
  }
  return low;
}
