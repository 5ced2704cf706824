import { badValue, CommandError, failedToParse, missingField, unknownField } from '../errors.ts';
import { createFold } from './fold.ts';
import { asInteger, type Doc, isDoc } from './value.ts';

export interface Collation {
  /** The specification with every option, as listIndexes reports it. */
  readonly spec: Doc;
  /** A form that is equal exactly for strings that the collation treats as equal: what an index stores. */
  fold(text: string): string;
  /** Whether the fold of a letter is that of its other case. */
  readonly foldsCase: boolean;
  /** The order for sorts and ranges; 0 exactly where the folds are equal. */
  compare(a: string, b: string): number;
}

// https://www.mongodb.com/docs/manual/reference/collation/ ; `version` is ICU's, as MongoDB 8 reports it.
const DEFAULTS: Doc = {
  caseLevel: false,
  caseFirst: 'off',
  strength: 3,
  numericOrdering: false,
  alternate: 'non-ignorable',
  maxVariable: 'punct',
  normalization: false,
  backwards: false,
  version: '57.1',
};

const collations = new Map<number, Collation>();

/** Returns undefined for the simple (binary) comparison. */
export function parseCollation(spec: unknown): Collation | undefined {
  if (spec === undefined || spec === null) return undefined;
  if (!isDoc(spec)) throw failedToParse("'collation' must be an object");
  if (Object.keys(spec).length === 0) return undefined;
  const { locale } = spec;
  if (locale === undefined) throw missingField('collation.locale');
  for (const [option, value] of Object.entries(spec)) {
    if (option === 'locale' || option === 'strength' || option === 'version') continue;
    if (!Object.hasOwn(DEFAULTS, option)) throw unknownField(`collation.${option}`);
    if (value !== DEFAULTS[option])
      throw new CommandError(115, `Collation option ${option} is not supported`);
  }
  if (locale === 'simple') return undefined;
  if (locale !== 'en' && locale !== 'en_US') {
    throw badValue(`Field 'locale' is invalid in: { locale: "${String(locale)}" }`);
  }
  const strength = asInteger(spec.strength ?? 3);
  if (strength === undefined || strength < 1 || strength > 3) {
    throw new CommandError(115, `Collation strength ${String(spec.strength)} is not supported`);
  }
  let collation = collations.get(strength);
  if (!collation) {
    collation = createCollation(strength);
    collations.set(strength, collation);
  }
  return collation;
}

function createCollation(strength: number): Collation {
  const sensitivity = strength === 1 ? 'base' : strength === 2 ? 'accent' : 'variant';
  const collator = new Intl.Collator('en', { sensitivity, usage: 'sort' });
  const fold = createFold(strength, collator);
  return {
    spec: { locale: 'en', ...DEFAULTS, strength },
    fold,
    foldsCase: strength < 3,
    compare(a, b) {
      if (a === b) return 0;
      const x = fold(a);
      const y = fold(b);
      return x === y ? 0 : collator.compare(a, b) || (x < y ? -1 : 1);
    },
  };
}
