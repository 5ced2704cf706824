import type { Declaration } from '../../../services/user/declaration/schema.ts';
import { allPages } from '../admin/all-pages.ts';
import { type AdminApi, UnknownAddress } from '../admin/api.ts';
import { segment } from '../admin/resource.ts';
import type { Plan, Step } from './plan.ts';

const PATH = '/api/v1/admin/operators';

/** @returns the removals apart, because they come last: somebody must be an admin before the last one goes. */
export async function planOperators(
  api: AdminApi,
  declared: NonNullable<Declaration['operators']>,
  prune: boolean,
): Promise<Plan & { removals: Step[] }> {
  const stored = await allPages<{ user_id: string; level: string }>(api, PATH);
  const levels = new Map(stored.map(({ user_id, level }) => [user_id, level]));
  const steps: Step[] = [];
  const manual: string[] = [];
  const named = new Set<string>();
  // Admins first, so that the last one can become a supporter.
  for (const { email, level } of declared.toSorted((one, two) => one.level.localeCompare(two.level))) {
    const user_id = await accountOf(api, email);
    if (user_id === undefined) {
      manual.push(`${email} must sign up before they can be an operator`);
      continue;
    }
    named.add(user_id);
    const before = levels.get(user_id);
    if (before === level) continue;
    steps.push({
      change: before ? '~' : '+',
      what: before ? `operator ${email}: ${before} → ${level}` : `operator ${email}: ${level}`,
      method: 'PUT',
      path: `${PATH}/${segment(user_id)}`,
      body: { level },
    });
  }
  const removals = stored
    .filter(({ user_id }) => prune && !named.has(user_id))
    .map(({ user_id, level }) => ({
      change: '-' as const,
      what: `operator ${user_id}: ${level}`,
      method: 'DELETE',
      path: `${PATH}/${segment(user_id)}`,
    }));
  return { steps, manual, removals };
}

/** @returns undefined if no account has the address. */
export async function accountOf(api: AdminApi, email: string): Promise<string | undefined> {
  try {
    return await api.personIdOf(email);
  } catch (error) {
    if (error instanceof UnknownAddress) return undefined;
    throw error;
  }
}
