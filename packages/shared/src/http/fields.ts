import { z } from 'zod';

/** What the JSON bodies and the records of the Gateway catalogue contract are made of (spec §Gateway catalogue contract). */

/** The failure of a field: an absent one "is required" (MISSING_FIELD), any other reads `text` (INVALID_FORMAT). */
export const expecting = (text: string) => ({
  error: ({ input }: { input?: unknown }) => (input === undefined ? 'is required' : text),
});

/** Text that must hold something. */
export const requiredText = z.string(expecting('must be a string')).min(1, { error: 'is required' });

/** A JSON object; fields that it does not know are ignored. */
export const jsonBody = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z.object(shape, {
    // Fastify shows the validator null where there is no body.
    error: ({ input }) => (input === null ? 'is required' : 'must be a JSON object'),
  });

/**
 * Text without control characters, line breaks and lone surrogates: JSON, BSON and patterns carry it alike. Nor
 * does it turn the direction of what stands around it.
 * The bounds count characters (code points), as JSON Schema does.
 */
function oneLine(text: z.ZodString, least: number, most: number) {
  const pattern = new RegExp(
    `^[^\\p{Cc}\\p{Cs}\\p{Zl}\\p{Zp}\\u202a-\\u202e\\u2066-\\u2069]{${least},${most}}$`,
    'u',
  );
  const error = `must be a single line of ${least} to ${most} characters`;
  return text
    .refine((given) => pattern.test(given), { error, abort: true })
    .meta({ minLength: least, maxLength: most });
}

/** One line of text, trimmed. */
export const line = (most: number) =>
  oneLine(z.string(expecting('must be a string')).trim(), 1, most).refine((given) => VISIBLE.test(given), {
    error: 'must contain a visible character',
  });
const VISIBLE = /[^\p{Cf}\p{Z}\p{M}]/u;

/** What a list looks for, every space included; nothing is in every text. */
export const searchText = oneLine(z.string(expecting('must be given once')), 0, 200);

export const oneOf = <const Values extends readonly [string, ...string[]]>(values: Values) =>
  z.enum(values, expecting(`must be one of ${values.join(', ')}`));

/** A language tag (BCP 47), kept as it was spelled. */
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

/** The answer of an operation that has nothing to show. */
export const messageResponse = <Text extends string>(message: Text, description: string) =>
  z.object({ message: z.literal(message) }).meta({ description, examples: [{ message }] });
