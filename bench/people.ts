/** Accounts of logins that take turns. */
export const PEOPLE = Array.from({ length: 50 }, (_, index) => ({
  email: `person${index}@example.com`,
  user_id: `User-${200_000 + index}`,
}));

/** Yields the items one after the other, without end. */
export function* inTurns<Item>(items: Item[]): Generator<Item, never> {
  while (true) yield* items;
}
