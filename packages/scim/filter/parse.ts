import { invalidFilter } from '../errors.ts';

const COMPARISONS = ['eq', 'ne', 'co', 'sw', 'ew', 'gt', 'ge', 'lt', 'le', 'pr'] as const;
export type Comparison = (typeof COMPARISONS)[number];
export type Value = string | number | boolean | null;

/** A filter (RFC 7644 §3.4.2.2). Attribute paths are in lower case. */
export type Filter =
  | { kind: 'and'; filters: Filter[] }
  | { kind: 'or'; filters: Filter[] }
  | { kind: 'not'; filter: Filter }
  | { kind: 'compare'; attribute: string; comparison: Comparison; value: Value }
  /** attribute[filter]: the filter holds for a single value of the attribute. */
  | { kind: 'values'; attribute: string; filter: Filter };

const MAX_LENGTH = 2_000;
const MAX_DEPTH = 10;
const MAX_COMPARISONS = 50;

/** Linear time: no two alternatives match the same character. */
const TOKEN = /\s*(?:([()[\]])|("(?:[^"\\]|\\.)*")|([^\s()[\]"]+))/y;
/** An attribute with an optional sub-attribute and schema; no operator of the database begins like this. */
const PATH = /^(?:urn:[\w:.-]+:)?[A-Za-z][\w-]*(?:\.[A-Za-z$][\w-]*)?$/;

/** The schema that attributes without one are of. */
const CORE = /^urn:ietf:params:scim:schemas:core:2\.0:(?:user|group):/;

/** Parses a filter. @throws {ScimError} invalidFilter, also when it is longer or deeper than any sensible one. */
export function parseFilter(text: string): Filter {
  if (text.length > MAX_LENGTH) throw invalidFilter(`A filter has at most ${MAX_LENGTH} characters`);
  const tokens = tokenize(text);
  let at = 0;
  let comparisons = 0;

  const isWord = (word: string) => tokens[at]?.toLowerCase() === word;
  const take = (): string => {
    const token = tokens[at];
    if (token === undefined) throw invalidFilter('The filter ends too early');
    at += 1;
    return token;
  };
  const expect = (token: string) => {
    if (take() !== token) throw invalidFilter(`The filter lacks a ${token}`);
  };

  function joined(kind: 'or' | 'and', depth: number): Filter {
    const next = () => (kind === 'or' ? joined('and', depth) : term(depth));
    const first = next();
    const filters = [first];
    while (isWord(kind)) {
      at += 1;
      filters.push(next());
    }
    return filters.length === 1 ? first : { kind, filters };
  }

  function group(close: ')' | ']', depth: number): Filter {
    if (depth > MAX_DEPTH) throw invalidFilter(`A filter is at most ${MAX_DEPTH} levels deep`);
    const filter = joined('or', depth);
    expect(close);
    return filter;
  }

  function term(depth: number): Filter {
    const token = take();
    if (token === '(') return group(')', depth + 1);
    if (token.toLowerCase() === 'not' && tokens[at] === '(') {
      at += 1;
      return { kind: 'not', filter: group(')', depth + 1) };
    }
    if (!PATH.test(token)) throw invalidFilter(`${quoted(token)} is not an attribute`);
    const attribute = token.toLowerCase().replace(CORE, '');
    if (tokens[at] === '[') {
      at += 1;
      return { kind: 'values', attribute, filter: group(']', depth + 1) };
    }
    comparisons += 1;
    if (comparisons > MAX_COMPARISONS)
      throw invalidFilter(`A filter has at most ${MAX_COMPARISONS} comparisons`);
    const operator = take().toLowerCase();
    const comparison = COMPARISONS.find((each) => each === operator);
    if (!comparison) throw invalidFilter(`${quoted(operator)} is not an operator`);
    return { kind: 'compare', attribute, comparison, value: comparison === 'pr' ? null : literal(take()) };
  }

  const filter = joined('or', 0);
  if (at < tokens.length)
    throw invalidFilter(`The filter goes on after its end with ${quoted(tokens[at] ?? '')}`);
  return filter;
}

function tokenize(text: string): string[] {
  const tokens: string[] = [];
  const trimmed = text.trim();
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < trimmed.length) {
    const [, bracket, string, word] = TOKEN.exec(trimmed) ?? [];
    const token = bracket ?? string ?? word;
    if (token === undefined) throw invalidFilter('The filter has a string without an end');
    tokens.push(token);
  }
  return tokens;
}

/** A value in JSON. */
function literal(token: string): Value {
  const lower = token.toLowerCase();
  if (lower === 'true' || lower === 'false') return lower === 'true';
  try {
    const value: unknown = JSON.parse(token);
    if (typeof value === 'string' && isSearchable(value)) return value;
    if (value === null || typeof value === 'number') return value;
  } catch {}
  throw invalidFilter(`${quoted(token)} is not a value; strings are in double quotes`);
}

/** A regular expression of the database holds no U+0000, and its strings no lone surrogates. */
const isSearchable = (text: string): boolean => text.isWellFormed() && !text.includes('\0');

const quoted = (token: string): string => `"${token.slice(0, 50)}"`;
