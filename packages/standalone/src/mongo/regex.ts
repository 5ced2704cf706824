import { CommandError } from './errors.ts';

/** A PCRE pattern and its options (i, m, s, x, u) as a JavaScript expression. */
export function compileRegex(value: unknown, extraOptions = ''): RegExp {
  const { pattern, options, source, flags } = (
    typeof value === 'object' ? value : { pattern: value }
  ) as Record<string, string | undefined>;
  const letters = extraOptions || options || flags || '';
  let text = pattern ?? source ?? '';
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

/** Option x: white space and comments outside character classes do not count. */
function stripExtended(pattern: string): string {
  return pattern.replace(/(\\[\s\S])|(\[(?:\\[\s\S]|[^\]])*\])|\s+|#[^\n]*/g, '$1$2');
}
