import type { Collation } from '../bson/collation.ts';
import { isDoc } from '../bson/value.ts';
import type { Filter } from '../language/filter.ts';
import { isRegex } from '../language/filter.ts';
import { compileFilter } from '../language/match.ts';
import type { Index } from '../store/indexes.ts';
import type { Condition, FieldFilter } from './conditions.ts';

/** Whether everything that the conditions match satisfies the partial filter of an index. */
export function impliesPartial(
  partial: Filter,
  conditions: readonly Condition[],
  index: Pick<Index, 'collation'>,
  collation: Collation | undefined,
): boolean {
  const implies = (child: Filter) => impliesPartial(child, conditions, index, collation);
  if (partial.kind === 'and') return partial.children.every(implies);
  if (partial.kind === 'or') return partial.children.some(implies);
  if (partial.kind !== 'field' || partial.path === null) return false;
  const byExistence = partial.operator === '$exists';
  const name = partial.path.join('.');
  const test = compileFilter({ ...partial, path: null }, { collation: index.collation });
  return conditions.some(({ name: path, field, decides }) => {
    if (path !== name || !decides) return false;
    const { operator, operand } = field;
    // Of what lies within a $type, MongoDB sees only the very same $type.
    if (partial.operator === '$type') {
      return operator === '$type' && `${operand}` === `${partial.operand}`;
    }
    if (operator === '$eq') return satisfies(operand);
    if (operator === '$in') return (operand as unknown[]).every(satisfies);
    if (operator === '$exists') return byExistence && operand === true;
    if (operator === '$type') return byExistence;
    if (!/^\$[gl]te?$/.test(operator) || operand === null) return false;
    if (byExistence) return true;
    if (typeof operand === 'string' && index.collation !== collation) return false;
    // a bound in the same direction: what lies beyond it lies beyond the index's bound too
    return partial.operator.slice(0, 3) === operator.slice(0, 3) && satisfiesBound(operator, operand);
  });

  function satisfies(value: unknown): boolean {
    if (value === null || value === undefined || isRegex(value) || Array.isArray(value)) return false;
    // under another collation the query may mean more strings than this one
    const alike =
      byExistence || index.collation === collation || (typeof value !== 'string' && !isDoc(value));
    return alike && test(value);
  }

  function satisfiesBound(operator: string, operand: unknown): boolean {
    if (test(operand)) return true;
    const { operator: own, operand: bound } = partial as FieldFilter;
    // {$gt: 5} implies {$gt: 5} although 5 itself does not
    return (
      own === operator &&
      compileFilter({ kind: 'field', path: null, operator: '$eq', operand: bound })(operand)
    );
  }
}
