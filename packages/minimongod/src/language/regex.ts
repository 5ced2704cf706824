import { BSONRegExp } from 'bson';
import { CommandError } from '../errors.ts';

/** A PCRE pattern and its options (i, m, s, x, u) as a JavaScript expression. */
export function compileRegex(value: unknown, extraOptions = ''): RegExp {
  const { pattern, options: letters } = regexParts(value, extraOptions);
  let text = pattern;
  for (const letter of letters) {
    if (!'imsxug'.includes(letter)) {
      throw new CommandError(51108, `invalid flag in regex options: ${letter}`);
    }
  }
  if (letters.includes('x')) text = stripExtended(text);
  const inline = /^\(\?([ims]+)\)/.exec(text);
  if (inline) text = text.slice(inline[0].length);
  const wanted = new Set([...letters, ...(inline?.[1] ?? '')].filter((letter) => 'ims'.includes(letter)));
  try {
    return new RegExp(text, [...wanted].join(''));
  } catch (error) {
    throw new CommandError(51091, `Regular expression is invalid: ${(error as Error).message}`);
  }
}

/** A pattern as the value that a document may hold, which it matches by equality. */
export function regexValue(value: unknown, extraOptions = ''): BSONRegExp {
  const { pattern, options } = regexParts(value, extraOptions);
  return new BSONRegExp(pattern, options.replaceAll('g', ''));
}

/** What MongoDB calls a simple regular expression: anchored, then literal text, a prefix of all that it matches. */
const ANCHORED = /^\^((?:[^\\^$.[|()*+?{]|\\[^A-Za-z0-9])*)(.*)$/s;

/** The text that every match begins with, and whether the pattern asks for nothing else. */
export function regexPrefix(
  value: unknown,
  extraOptions: string,
): { text: string; whole: boolean } | undefined {
  const { pattern, options } = regexParts(value, extraOptions);
  const [, literal = '', rest = ''] = ANCHORED.exec(pattern) ?? [];
  if ((options !== '' && options !== 's') || rest.includes('|')) return undefined;
  const characters = [...literal.replaceAll(/\\(.)/gs, '$1')];
  // these may let the last character occur not even once
  if (/^[*?{]/.test(rest)) characters.pop();
  return characters.length === 0 ? undefined : { text: characters.join(''), whole: rest === '' };
}

function regexParts(value: unknown, extraOptions: string): { pattern: string; options: string } {
  const { pattern, options, source, flags } = (
    typeof value === 'object' ? value : { pattern: value }
  ) as Record<string, string | undefined>;
  return { pattern: pattern ?? source ?? '', options: extraOptions || options || flags || '' };
}

/** Option x: white space and comments outside character classes do not count. */
function stripExtended(pattern: string): string {
  return pattern.replace(/(\\[\s\S])|(\[(?:\\[\s\S]|[^\]])*\])|\s+|#[^\n]*/g, '$1$2');
}
