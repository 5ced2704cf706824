import { BSONRegExp } from 'bson';
import { CommandError } from '../errors.ts';

/** A PCRE pattern with its options (i, m, s, u) as a JavaScript RegExp. */
export function compileRegex(value: unknown, extraOptions = ''): RegExp {
  const { pattern, options } = regexParts(value, extraOptions);
  const unknown = [...options].find((letter) => !'imsug'.includes(letter));
  if (unknown) throw new CommandError(51108, `invalid flag in regex options: ${unknown}`);
  const inline = /^\(\?([ims]+)\)/.exec(pattern);
  const flags = new Set([...options, ...(inline?.[1] ?? '')].filter((letter) => 'ims'.includes(letter)));
  try {
    return new RegExp(pattern.slice(inline?.[0].length ?? 0), [...flags].join(''));
  } catch (error) {
    throw new CommandError(51091, `Regular expression is invalid: ${(error as Error).message}`);
  }
}

/** The pattern as a stored value, which a regex query matches by equality. */
export function regexValue(value: unknown, extraOptions = ''): BSONRegExp {
  const { pattern, options } = regexParts(value, extraOptions);
  return new BSONRegExp(pattern, options.replaceAll('g', ''));
}

/** What MongoDB calls a prefix expression: an anchor, then literal text. */
const ANCHORED = /^\^((?:[^\\^$.[|()*+?{]|\\[^A-Za-z0-9])*)(.*)$/s;

/** The prefix of all strings that match, and whether the pattern requires nothing else. */
export function regexPrefix(
  value: unknown,
  extraOptions: string,
): { text: string; whole: boolean; anyCase: boolean } | undefined {
  const { pattern, options } = regexParts(value, extraOptions);
  const [, literal = '', rest = ''] = ANCHORED.exec(pattern) ?? [];
  if (!['', 's', 'i', 'is', 'si'].includes(options) || rest.includes('|')) return undefined;
  const characters = [...literal.replaceAll(/\\(.)/gs, '$1')];
  // A quantifier that allows zero occurrences makes the last character optional.
  if (/^[*?{]/.test(rest)) characters.pop();
  return characters.length === 0
    ? undefined
    : { text: characters.join(''), whole: rest === '', anyCase: options.includes('i') };
}

function regexParts(value: unknown, extraOptions: string): { pattern: string; options: string } {
  if (typeof value === 'string') return { pattern: value, options: extraOptions };
  const { pattern, options } = value as BSONRegExp;
  return { pattern, options: extraOptions || options };
}
