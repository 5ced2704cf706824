import { includesSso, planStages, type SsoPlan } from '@gatehouse/shared/identity/sso';
import type { Database } from '../database.ts';

/** Whether an organization has single sign-on, see `includesSso`. @param now Unix milliseconds. */
export async function hasSsoPlan(
  db: Pick<Database, 'organizations'>,
  organization_id: string,
  now: number,
): Promise<boolean> {
  const [plan] = await db.organizations
    .aggregate<SsoPlan>([
      { $match: { organization_id } },
      { $project: { organization_id: 1 } },
      ...planStages(now),
    ])
    .toArray();
  return plan !== undefined && includesSso(plan);
}
