import { badValue, CommandError, failedToParse } from '../errors.ts';
import { createFold } from './fold.ts';
import { asInteger, type Doc, isDoc } from './value.ts';

export interface Collation {
  /** Every option spelt out, as listIndexes shows it. */
  readonly spec: Doc;
  /** Equal exactly for strings that the collation holds equal: what an index stores. */
  fold(text: string): string;
  /** Order for sorts and ranges; 0 exactly where the folds are equal. */
  compare(a: string, b: string): number;
}

// https://www.mongodb.com/docs/manual/reference/collation/ ; the version is that of ICU as MongoDB 8 states it
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

const known = new Map<number, Collation>();

/** Undefined stands for the simple (binary) comparison. */
export function parseCollation(spec: unknown): Collation | undefined {
  if (spec === undefined || spec === null) return undefined;
  if (!isDoc(spec)) throw failedToParse("'collation' must be an object");
  const { locale } = spec;
  if (Object.keys(spec).length === 0) return undefined;
  if (locale === undefined) {
    throw new CommandError(40414, "BSON field 'collation.locale' is missing but a required field");
  }
  for (const [option, value] of Object.entries(spec)) {
    if (option === 'locale' || option === 'strength' || option === 'version') continue;
    if (!(option in DEFAULTS)) throw failedToParse(`BSON field 'collation.${option}' is an unknown field.`);
    if (value !== DEFAULTS[option]) throw badValue(`Collation option ${option} is not supported here`);
  }
  if (locale === 'simple') return undefined;
  if (locale !== 'en' && locale !== 'en_US') {
    throw badValue(`Field 'locale' is invalid in: { locale: "${String(locale)}" }`);
  }
  const strength = asInteger(spec.strength ?? 3);
  if (strength === undefined || strength < 1 || strength > 3) {
    throw failedToParse(`Collation strength ${String(spec.strength)} is not supported here: 1, 2 or 3`);
  }
  let collation = known.get(strength);
  if (!collation) {
    collation = create(strength);
    known.set(strength, collation);
  }
  return collation;
}

function create(strength: number): Collation {
  const sensitivity = strength === 1 ? 'base' : strength === 2 ? 'accent' : 'variant';
  const collator = new Intl.Collator('en', { sensitivity, usage: 'sort' });
  const fold = createFold(strength, collator);
  return {
    spec: { locale: 'en', ...DEFAULTS, strength },
    fold,
    compare(a, b) {
      if (a === b) return 0;
      const x = fold(a);
      const y = fold(b);
      return x === y ? 0 : collator.compare(a, b) || (x < y ? -1 : 1);
    },
  };
}
