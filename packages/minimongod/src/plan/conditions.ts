import type { Filter } from '../language/filter.ts';

export type FieldFilter = Extract<Filter, { kind: 'field' }>;

export interface Condition {
  readonly name: string;
  readonly field: FieldFilter;
  /** False for what lies inside an $elemMatch: it bounds the scan but does not decide. */
  readonly decides: boolean;
}

/** The field conditions that all must hold, and how many other conjuncts there are. */
export function conjuncts(filter: Filter): { conditions: Condition[]; others: number } {
  const conditions: Condition[] = [];
  let others = 0;
  visit(filter, [], true);
  return { conditions, others };

  function visit(node: Filter, prefix: readonly string[], decides: boolean): void {
    switch (node.kind) {
      case 'and':
        for (const child of node.children) visit(child, prefix, decides);
        return;
      case 'elemMatch':
        others++;
        if (node.path) visit(node.child, [...prefix, ...node.path], false);
        return;
      case 'field':
        if (node.path === null && prefix.length === 0) others++;
        else {
          conditions.push({ name: [...prefix, ...(node.path ?? [])].join('.'), field: node, decides });
        }
        return;
      default:
        others++;
    }
  }
}
