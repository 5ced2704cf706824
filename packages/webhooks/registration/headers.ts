import type { Secrets } from '@gatehouse/shared/data/secrets';
import { z } from 'zod';
import type { Webhook } from '../records.ts';

/** The custom headers of a webhook. Their values are secrets: encrypted at rest and never shown. */

const MAX_HEADERS = 5;
const MAX_NAME = 100;
const MAX_VALUE = 1_024;

/** A token (RFC 9110 §5.6.2). */
const NAME = new RegExp(`^[!#$%&'*+.^_\`|~0-9A-Za-z-]{1,${MAX_NAME}}$`);
/** A field value (RFC 9110 §5.5) of visible ASCII characters, and spaces between them. */
const VALUE = new RegExp(`^(?=.{1,${MAX_VALUE}}$)[!-~]+(?: +[!-~]+)*$`);

/** Headers that describe the connection or the body (RFC 9110 §7.6, §8), state who calls, or carry our signature. */
const RESERVED = new RegExp(
  `^(?:${[
    'connection',
    'keep-alive',
    'proxy-.*',
    'te',
    'trailer',
    'transfer-encoding',
    'upgrade',
    'http2-settings',
    'expect',
    'host',
    'content-.*',
    'accept-encoding',
    'date',
    'cookie2?',
    'set-cookie2?',
    'user-agent',
    'via',
    'forwarded',
    'x-forwarded-.*',
    'x-real-ip',
    'x-http-method.*',
    'x-method-override',
    'x-original-.*',
    'x-rewrite-.*',
    'webhook-.*',
    'x-service-signature',
  ].join('|')})$`,
  'i',
);

/** Shown instead of a value. Not valid as input: sending a record back unchanged must not overwrite values. */
export const MASKED = '••••••••';

const given = <Value extends z.ZodType>(value: Value, max: number) =>
  z
    .record(z.string(), value, { error: 'must be an object of header names and values' })
    .superRefine((headers, context) => {
      const refuse = (message: string, ...path: string[]) =>
        context.addIssue({ code: 'custom', message, path });
      const names = Object.keys(headers);
      if (names.length > max) refuse(`must contain at most ${max} headers`);
      if (new Set(names.map((name) => name.toLowerCase())).size < names.length)
        refuse('must not repeat a header');
      for (const name of names) {
        if (!NAME.test(name)) refuse(`must contain only header names of 1 to ${MAX_NAME} characters`);
        else if (RESERVED.test(name)) refuse('is a header that a webhook cannot set', name);
      }
    })
    .meta({ maxProperties: max, examples: [{ Authorization: 'Bearer 7f3c9a51' }] });

const value = z.string({ error: 'must be a string' }).regex(VALUE, {
  error: `must be 1 to ${MAX_VALUE} visible ASCII characters, with spaces only between them`,
});

/** Names and values for a new webhook. */
export const newHeaders = given(value, MAX_HEADERS);

/** Changes of the headers: null removes one, and others stay. One call can replace all. */
export const changedHeaders = given(value.nullable(), 2 * MAX_HEADERS);

type Stored = NonNullable<Webhook['headers']>;

/** Binds an encrypted value to its webhook and name: it does not decrypt elsewhere. */
const recordId = (webhook_id: string, name: string): string => `${webhook_id} ${name}`;

/** Applies changes to the stored headers. @returns null if they are then too many. */
export function changeHeaders(
  secrets: Secrets,
  webhook_id: string,
  stored: Stored,
  changes: Record<string, string | null>,
): Stored | null {
  const changed = new Set(Object.keys(changes).map((name) => name.toLowerCase()));
  const headers = [
    ...stored.filter(({ name }) => !changed.has(name.toLowerCase())),
    ...Object.entries(changes).flatMap(([name, text]) =>
      text === null ? [] : [{ name, value: secrets.seal(text, recordId(webhook_id, name)) }],
    ),
  ];
  return headers.length > MAX_HEADERS ? null : headers;
}

/**
 * Whether changes leave a stored header unchanged. With a new URL, the caller could send its secret value to their own
 * receiver.
 */
export const leavesHeaders = (stored: Stored = [], changes: Record<string, string | null> = {}): boolean => {
  const changed = new Set(Object.keys(changes).map((name) => name.toLowerCase()));
  return stored.some(({ name }) => !changed.has(name.toLowerCase()));
};

/** The error for a new URL that would keep headers. */
export const LEFT_HEADERS =
  'headers must name every header of the webhook when the url changes: with its value, or null to remove it';

/** The error for too many headers. */
export const TOO_MANY_HEADERS = `headers must contain at most ${MAX_HEADERS} headers`;

/**
 * The headers as they are sent.
 * @throws {AppError} unavailable when none of the configured keys opens a value.
 */
export const openHeaders = (
  secrets: Secrets,
  { webhook_id, headers = [] }: Pick<Webhook, 'webhook_id' | 'headers'>,
): Record<string, string> =>
  Object.fromEntries(
    headers.map(({ name, value }) => [name, secrets.open(value, recordId(webhook_id, name))]),
  );

/** The headers as they are shown. */
export const maskedHeaders = ({ headers = [] }: Pick<Webhook, 'headers'>): Record<string, string> =>
  Object.fromEntries(headers.map(({ name }) => [name, MASKED]));

/** Encrypts the values again with the current key. @throws {AppError} like `openHeaders`. */
export const resealHeaders = (
  secrets: Secrets,
  { webhook_id, headers = [] }: Pick<Webhook, 'webhook_id' | 'headers'>,
): Stored =>
  headers.map(({ name, value }) => {
    const id = recordId(webhook_id, name);
    return { name, value: secrets.seal(secrets.open(value, id), id) };
  });
