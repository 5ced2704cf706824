import type { Window } from './counters.ts';

const tier = (minute: number, hour: number, day: number): readonly Window[] => [
  { seconds: 60, limit: minute },
  { seconds: 3_600, limit: hour },
  { seconds: 86_400, limit: day },
];

/** spec §Limits, request-rate tiers, by the user's `subscription_plan`. Enterprise has no windows: unlimited. */
const TIERS: Record<string, readonly Window[]> = {
  Free: tier(60, 1_000, 10_000),
  Starter: tier(120, 5_000, 50_000),
  Professional: tier(300, 15_000, 200_000),
  Business: tier(600, 30_000, 500_000),
  Enterprise: [],
};

/** What the headers show where there is no limit. */
export const UNLIMITED = 2_147_483_647;

/** A user's budgets under the catalogue; without a plan that the table knows, those of Free Trial. */
export const tierOf = (plan: unknown): readonly Window[] =>
  (typeof plan === 'string' && Object.hasOwn(TIERS, plan) && TIERS[plan]) || tier(60, 1_000, 10_000);
