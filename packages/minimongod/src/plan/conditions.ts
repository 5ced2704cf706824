import type { FieldFilter, Filter } from '../language/filter.ts';

/** A condition on a field that bounds an index scan. */
export interface Condition {
  readonly name: string;
  readonly field: FieldFilter;
  /** False inside an $elemMatch: a single element must satisfy all of its conditions. */
  readonly mustHold: boolean;
}

/** The field conditions of a conjunction, and the number of its other clauses. */
export function conditionsOf(filter: Filter): { conditions: Condition[]; others: number } {
  const conditions: Condition[] = [];
  let others = 0;
  visit(filter, [], true);
  return { conditions, others };

  function visit(node: Filter, prefix: readonly string[], mustHold: boolean): void {
    if (node.kind === 'and') {
      for (const child of node.children) visit(child, prefix, mustHold);
    } else if (node.kind === 'field' && (node.path !== null || prefix.length > 0)) {
      const name = [...prefix, ...(node.path ?? [])].join('.');
      conditions.push({ name, field: node, mustHold });
    } else {
      others++;
      if (node.kind === 'elemMatch' && node.path) visit(node.child, [...prefix, ...node.path], false);
    }
  }
}
