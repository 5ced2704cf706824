import { isIP } from 'node:net';
import proxyAddr from '@fastify/proxy-addr';
import { z } from 'zod';
import { signingKeyOf, verifyKeyOf } from '../identity/audit-chain/anchors.ts';

/** The types of environment variables. An error message continues the name of its variable. */

export const number = (what: string, { min, max = Number.MAX_SAFE_INTEGER }: { min: number; max?: number }) =>
  z
    .string()
    .transform((text) => (/^\d+$/.test(text) ? Number(text) : Number.NaN))
    .refine((value) => value >= min && value <= max, { error: `must be ${what}` });

export const port = number('a port number, 0 to 65535', { min: 0, max: 65_535 });

/** A decimal fraction, 0 to 1. */
export const fraction = z
  .string()
  .regex(/^(?:0(?:\.\d+)?|1(?:\.0+)?)$/, { error: 'must be a number from 0 to 1' })
  .transform(Number);

/** Headers as OpenTelemetry writes them in its variables: `name=value`, separated by commas, percent-encoded. */
export const otlpHeaders = z
  .string()
  .regex(/^[\w-]+=(?:[\w.~!*'()-]|%[\da-f]{2})+(?:,[\w-]+=(?:[\w.~!*'()-]|%[\da-f]{2})+)*$/i, {
    error: 'must be headers such as authorization=Bearer%20abc, separated by commas',
  })
  .transform((text) =>
    Object.fromEntries(
      text.split(',').map((header) => header.split('=').map(decodeURIComponent) as [string, string]),
    ),
  );

/** Ports and ranges of ports, each as `[first, last]`. */
export const portRanges = z
  .string()
  .transform((text) => text.split(',').map((item) => portRange(item.trim())))
  .refine((ranges) => ranges.every(([first, last]) => first >= 1 && first <= last && last <= 65_535), {
    error: 'must be ports and ranges such as 80,443,8000-9999',
  });

function portRange(text: string): [first: number, last: number] {
  const [, first, last = first] = /^(\d{1,5})(?:-(\d{1,5}))?$/.exec(text) ?? [];
  return [Number(first), Number(last)];
}

export const choice = <const T extends readonly string[]>(...values: T) =>
  z.enum(values, { error: `must be one of ${values.join(', ')}` });

export const flag = choice('on', 'off').transform((value) => value === 'on');

export const list = z.string().transform((text) => text.split(',').map((item) => item.trim()));

/** Ranges of addresses such as 10.0.0.0/8. */
export const networks = list.refine((ranges) => ranges.every(isNetwork), {
  error: 'must be ranges of addresses such as 10.0.0.0/8,fd00::/8',
});

function isNetwork(range: string): boolean {
  const [, network = '', prefix] = /^([^/%]+)\/(\d{1,3})$/.exec(range) ?? [];
  const bits = { 0: -1, 4: 32, 6: 128 }[isIP(network) as 0 | 4 | 6];
  return Number(prefix) <= bits;
}

/** Exact paths of the catalogue. Others would be patterns for the router, or match nothing. */
export const cataloguePaths = list.refine(
  (paths) => paths.every((path) => /^\/api\/v1(?:\/[\w.~-]+)+$/.test(path)),
  { error: 'must be exact paths such as /api/v1/payment/webhook, separated by commas' },
);

export const address = (...schemes: string[]) =>
  z.string().refine(
    (text) =>
      schemes.some((scheme) => text.startsWith(`${scheme}://`)) &&
      Boolean(URL.parse(text.replaceAll(/[^@/,]+,/g, ''))?.hostname), // a replica set has several hosts
    {
      error: `must be a URL that begins with ${schemes.map((scheme) => `${scheme}://`).join(' or ')}`,
    },
  );

/** The address below which paths are appended; a final slash says the same. */
export const baseUrl = address('http', 'https').transform((url) => url.replace(/\/$/, ''));

export const origins = list.refine((items) => items.every((origin) => URL.parse(origin)?.origin === origin), {
  error: 'must be origins such as https://app.example.com, separated by commas',
});

/** A domain such as example.com, in lower case. */
export const domain = z.string().refine((text) => URL.parse(`https://${text}`)?.hostname === text, {
  error: 'must be a domain such as example.com',
});

/** Fastify's `trustProxy`: `true`, or addresses and ranges separated by commas. */
export const trustProxy = z
  .string()
  .refine((text) => text === '' || text === 'true' || isTrustList(text), {
    error: 'must be true, or addresses and ranges separated by commas',
  })
  .transform((text) => (text === '' || text === 'true' ? text === 'true' : text));

function isTrustList(text: string): boolean {
  try {
    const items = text.split(',').map((item) => item.trim());
    proxyAddr.compile(items);
    // A number is a count of proxies elsewhere, but an IPv4 address here.
    return !items.some((item) => /^\d+$/.test(item));
  } catch {
    return false;
  }
}

/** An email address, optionally with a display name. */
export const sender = z.string().regex(/^[^<>\r\n]*<[^<>@\s]+@[^<>@\s]+>$|^[^<>@\s]+@[^<>@\s]+$/, {
  error: 'must be an address, or a name and an address in angle brackets',
});

/** The name that pages and mails show. */
export const brandName = z
  .string()
  .regex(/^[^\p{Cc}\p{Zl}\p{Zp}<>]{1,60}$/u, { error: 'must be a single line of 1 to 60 characters' })
  .default('Gatehouse');

/** A CSS color such as `#3451d1`. */
export const brandColor = z
  .string()
  .regex(/^#[0-9a-f]{6}$/i, { error: 'must be a color such as #3451d1' })
  .default('#3451d1');

/** An address of an image: HTTPS, or a path at the gateway's own host. */
export const brandLogo = z
  .string()
  .refine((text) => /^\/[^/]/.test(text) || URL.parse(text)?.protocol === 'https:', {
    error: 'must be an https:// URL, or a path that begins with /',
  });

const isKey = (read: (text: string) => unknown) => (text: string) => {
  try {
    return Boolean(read(text));
  } catch {
    return false;
  }
};

/** A private Ed25519 key, as `npx gatehouse audit keygen` prints it. */
export const signingKey = z.string().refine(isKey(signingKeyOf), {
  error: 'must be the signing_key that npx gatehouse audit keygen prints',
});

/** Public Ed25519 keys, separated by commas. */
export const verifyKeys = list.refine((keys) => keys.every(isKey(verifyKeyOf)), {
  error: 'must be verify_keys that npx gatehouse audit keygen prints, separated by commas',
});
