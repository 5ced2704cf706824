/** A fixed window: `limit` uses of a key in `seconds`, counted from the first use. */
export interface Window {
  seconds: number;
  limit: number;
}

const tier = (minute: number, hour: number, day: number): readonly Window[] => [
  { seconds: 60, limit: minute },
  { seconds: 3_600, limit: hour },
  { seconds: 86_400, limit: day },
];

/** CONTRACT.md §Rate tiers, by `subscription_plan`. Enterprise has no windows: it is unlimited. */
const TIERS: Record<string, readonly Window[]> = {
  Free: tier(60, 1_000, 10_000),
  Starter: tier(120, 5_000, 50_000),
  Professional: tier(300, 15_000, 200_000),
  Business: tier(600, 30_000, 500_000),
  Enterprise: [],
};

/** The limit that the headers show when there is none. */
export const UNLIMITED = 2_147_483_647;

/** A user's windows under the catalogue; those of the free plan when the plan is missing or unknown. */
export const tierOf = (plan: unknown): readonly Window[] =>
  (typeof plan === 'string' && Object.hasOwn(TIERS, plan) && TIERS[plan]) || tier(60, 1_000, 10_000);
