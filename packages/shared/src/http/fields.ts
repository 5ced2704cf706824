import { z } from 'zod';

/** Field types of the JSON bodies and records of the Catalogue contract (CONTRACT.md §JSON bodies). */

/** Error option of a field: absent, it "is required" (MISSING_FIELD); invalid, it fails with `text` (INVALID_FORMAT). */
export const expecting = (text: string) => ({
  error: ({ input }: { input?: unknown }) => (input === undefined ? 'is required' : text),
});

/** A non-empty string. */
export const requiredText = z.string(expecting('must be a string')).min(1, { error: 'is required' });

/** A code that a person types. */
export const typedCode = requiredText.max(100, { error: 'must not be longer than 100 characters' });

/** A JSON object. Unknown fields are ignored. */
export const jsonBody = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z.object(shape, {
    // Fastify validates a missing body as null.
    error: ({ input }) => (input === null ? 'is required' : 'must be a JSON object'),
  });

/**
 * A string without control characters, line breaks, lone surrogates and bidirectional overrides. It survives
 * JSON, BSON and regular expressions unchanged. The bounds count code points, as JSON Schema does.
 */
function oneLine(text: z.ZodString, min: number, max: number) {
  const pattern = new RegExp(
    `^[^\\p{Cc}\\p{Cs}\\p{Zl}\\p{Zp}\\u202a-\\u202e\\u2066-\\u2069]{${min},${max}}$`,
    'u',
  );
  const error = `must be a single line of ${min} to ${max} characters`;
  return text
    .refine((given) => pattern.test(given), { error, abort: true })
    .meta({ minLength: min, maxLength: max });
}

/** A single line with a visible character, trimmed. */
export const line = (max: number) =>
  oneLine(z.string(expecting('must be a string')).trim(), 1, max).refine((given) => VISIBLE.test(given), {
    error: 'must contain a visible character',
  });
const VISIBLE = /[^\p{Cf}\p{Z}\p{M}]/u;

/** The search text of a list, spaces included. The empty text matches everything. */
export const searchText = oneLine(z.string(expecting('must be given once')), 0, 200);

export const oneOf = <const Values extends readonly [string, ...string[]]>(values: Values) =>
  z.enum(values, expecting(`must be one of ${values.join(', ')}`));

/**
 * One of `values` in an answer, or another string: while releases run side by side, a later one has stored values that
 * this one does not know, and a list with them must not fail.
 */
export const openEnum = (values: readonly string[]) => z.string().meta({ enum: [...values] });

/** A language tag (BCP 47), kept as spelled. */
export const languageTag = line(100).refine(isLanguageTag, {
  error: 'must be a language tag such as en or pt-BR (BCP 47)',
});

function isLanguageTag(text: string): boolean {
  try {
    return Intl.getCanonicalLocales(text).length === 1;
  } catch {
    return false;
  }
}

/** An instant with its offset. */
export const isoDateTime = z.iso.datetime({
  offset: true,
  ...expecting('must be an ISO 8601 date-time such as 2026-01-15T09:30:00Z'),
});
