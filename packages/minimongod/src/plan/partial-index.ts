import type { Collation } from '../bson/collation.ts';
import { isNullish, isRegex } from '../bson/types.ts';
import { isDoc } from '../bson/value.ts';
import type { Filter } from '../language/filter.ts';
import { compileFilter } from '../language/match.ts';
import type { Index } from '../store/index-keys.ts';
import type { Condition } from './conditions.ts';

/** Whether every document that the conditions match satisfies the partial filter of an index. */
export function impliesPartialFilter(
  partial: Filter,
  conditions: readonly Condition[],
  index: Pick<Index, 'collation'>,
  collation: Collation | undefined,
): boolean {
  const implied = (child: Filter) => impliesPartialFilter(child, conditions, index, collation);
  if (partial.kind === 'and') return partial.children.every(implied);
  if (partial.kind === 'or') return partial.children.some(implied);
  if (partial.kind !== 'field' || partial.path === null) return false;

  const requiresExistence = partial.operator === '$exists';
  const name = partial.path.join('.');
  const relevant = conditions.filter((condition) => condition.mustHold && condition.name === name);
  if (relevant.length === 0) return false;
  const test = compileFilter({ ...partial, path: null }, { collation: index.collation });
  const sameCollation = index.collation === collation;

  const satisfies = (value: unknown): boolean => {
    if (isNullish(value) || isRegex(value) || Array.isArray(value)) return false;
    // Under another collation, the query may match further strings.
    const comparable = sameCollation || (typeof value !== 'string' && !isDoc(value));
    return (requiresExistence || comparable) && test(value);
  };

  return relevant.some(({ field: { operator, operand } }) => {
    // MongoDB recognizes only an identical $type as implied by a $type.
    if (partial.operator === '$type') return operator === '$type' && `${operand}` === `${partial.operand}`;
    if (operator === '$eq') return satisfies(operand);
    if (operator === '$in') return (operand as unknown[]).every(satisfies);
    if (operator === '$exists') return requiresExistence && operand === true;
    if (operator === '$type') return requiresExistence;
    if (!/^\$[gl]te?$/.test(operator) || operand === null) return false;
    if (requiresExistence) return true;
    if (typeof operand === 'string' && !sameCollation) return false;
    // A bound in the same direction implies the index's bound if it satisfies it, or if the two are identical.
    const sameDirection = partial.operator.slice(0, 3) === operator.slice(0, 3);
    const equal = compileFilter({ kind: 'field', path: null, operator: '$eq', operand: partial.operand });
    return sameDirection && (test(operand) || (partial.operator === operator && equal(operand)));
  });
}
