import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { COMMANDS } from '../src/commands/dispatch.ts';
import { EXPRESSION_OPERATORS } from '../src/language/expression.ts';
import { FIELD_OPERATORS, LOGICAL_OPERATORS } from '../src/language/filter.ts';
import { ACCUMULATORS } from '../src/language/group.ts';
import { STAGES, UPDATE_STAGES } from '../src/language/stages.ts';
import { UPDATE_OPERATORS } from '../src/language/update-operators.ts';
import { INDEX_OPTIONS } from '../src/store/index-spec.ts';

const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');

/** The rows of the table under a heading, each as the names in backticks per cell. */
function table(heading: string): string[][][] {
  const section = readme.split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';
  const rows = section.split('\n').filter((line) => line.startsWith('| '));
  return rows.slice(2).map((row) =>
    row
      .split('|')
      .slice(1, -1)
      .map((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name]) => name as string)),
  );
}

const column = (heading: string, index: number) => table(heading).flatMap((row) => row[index] ?? []);

describe('the README lists exactly what is implemented', () => {
  test.each<[string, number, string[]]>([
    ['Query operators', 1, [...Object.keys(FIELD_OPERATORS), ...Object.keys(LOGICAL_OPERATORS)]],
    ['Update operators', 1, Object.keys(UPDATE_OPERATORS)],
    ['Aggregation stages', 1, Object.keys(STAGES)],
    ['Expression operators', 1, Object.keys(EXPRESSION_OPERATORS)],
    ['Accumulators of $group', 1, Object.keys(ACCUMULATORS)],
    ['Indexes', 0, [...INDEX_OPTIONS]],
  ])('%s', (heading, index, implemented) => {
    expect(column(heading, index).sort()).toEqual(implemented.sort());
  });

  test('Commands and their options', () => {
    const listed = table('Commands').map(([names = [], options = []]) => [names[0], options.sort()]);
    const implemented = Object.entries(COMMANDS).map(([name, { options = '' }]) => [
      name,
      options.split(' ').filter(Boolean).sort(),
    ]);
    expect(Object.fromEntries(listed)).toEqual(Object.fromEntries(implemented));
  });

  test('the stages of a pipeline update', () => {
    expect(table('Aggregation stages')[0]?.[1]?.sort()).toEqual(Object.keys(UPDATE_STAGES).sort());
  });
});
