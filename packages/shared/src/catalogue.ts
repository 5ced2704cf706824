import { z } from 'zod';
import type { ErrorName } from './errors.ts';
import { ROLES } from './rbac.ts';

/** What the JSON bodies and the records of the Gateway catalogue contract are made of (spec §Gateway catalogue contract). */

/** The failure of a field: an absent one "is required" (MISSING_FIELD), any other reads `text` (INVALID_FORMAT). */
export const expecting = (text: string) => ({
  error: ({ input }: { input?: unknown }) => (input === undefined ? 'is required' : text),
});

/** Text that must hold something. */
export const requiredText = z.string(expecting('must be a text')).min(1, { error: 'is required' });

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
  const error = `must be one line of ${least} to ${most} characters`;
  return text
    .refine((given) => pattern.test(given), { error, abort: true })
    .meta({ minLength: least, maxLength: most });
}

/** One line of text, trimmed. */
export const line = (most: number) =>
  oneLine(z.string(expecting('must be a text')).trim(), 1, most).refine((given) => VISIBLE.test(given), {
    error: 'must hold something that can be seen',
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
export const saying = <Text extends string>(message: Text, description: string) =>
  z.object({ message: z.literal(message) }).meta({ description, examples: [{ message }] });

/** What every operation behind a bearer may answer, the gateway in front of it included. */
export const BEARER_FAILURES = [
  'noAuthorizationHeader',
  'tokenExpired',
  'invalidToken',
  'forbidden',
  'rateLimited',
  'unavailable',
] as const satisfies ErrorName[];

export const CHATBOT_TYPES = ['3d', 'text', 'voice'] as const;
export const CHATBOT_STATUSES = ['active', 'paused'] as const;

/** A chatbot, as it is stored and as it is shown. */
export const chatbotRecord = z
  .object({
    chatbot_id: z.string(),
    name: z.string(),
    type: z.enum(CHATBOT_TYPES),
    avatar_id: z.string(),
    language: z.string().meta({ description: 'BCP 47' }),
    status: z.enum(CHATBOT_STATUSES),
    owner_id: z.string(),
    organization_id: z.string().nullable(),
    department_id: z.string().nullable(),
    created_at: z.string().meta({ format: 'date-time' }),
    updated_at: z.string().meta({ format: 'date-time' }),
  })
  .meta({
    description: 'The chatbot',
    examples: [
      {
        chatbot_id: '01936f2e-7d3c-7a44-8c1e-5b0f3f6a9d21',
        name: 'Receptionist',
        type: '3d',
        avatar_id: 'avatar-7',
        language: 'en-GB',
        status: 'active',
        owner_id: 'User-483920',
        organization_id: null,
        department_id: null,
        created_at: '2026-01-15T09:30:00.000Z',
        updated_at: '2026-01-15T09:30:00.000Z',
      },
    ],
  });

export type Chatbot = z.infer<typeof chatbotRecord>;

/** A role that somebody was given (spec §Role and permission records, Chatbot access list record). */
export const grant = z
  .object({
    user_id: z.string(),
    role: z.enum(ROLES),
    granted_by: z.string(),
    granted_at: z.string().meta({ format: 'date-time' }),
  })
  .meta({
    description: 'The role, and by whom it was given',
    examples: [
      {
        user_id: 'User-720415',
        role: 'Editor',
        granted_by: 'User-483920',
        granted_at: '2026-01-15T09:30:00.000Z',
      },
    ],
  });

export type Grant = z.infer<typeof grant>;

/** A chatbot as it is stored: what is public, and beside it what decides and finds. */
export interface StoredChatbot extends Chatbot {
  /** The access list; absent until somebody is given a role, and until then its owner is alone. */
  permissions?: Grant[];
  /** Counts the changes of the access list, so that each is made to the list that it was decided on. */
  access_version?: number;
  /** What a search by name looks into; see name-search.ts. */
  name_suffixes?: string[];
}
