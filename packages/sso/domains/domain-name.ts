import { isIP } from 'node:net';
import { domainToASCII } from 'node:url';
import { expecting } from '@gatehouse/shared/http/fields';
import { z } from 'zod';

const LABEL = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?';
const NAME = new RegExp(`^(?:${LABEL}\\.)+(?!\\d+$)${LABEL}$`);
const MAX_LENGTH = 253;

/** Returns the ASCII form of a domain as e-mail addresses spell it, in lower case; undefined for anything else. */
export function normalizeDomain(text: string): string | undefined {
  // A URL's host may be followed by more and may be percent-encoded; a domain is not.
  if (/[/?#@:\\%\s]/u.test(text)) return undefined;
  const name = domainToASCII(text.replace(/\.$/, '')).toLowerCase();
  return NAME.test(name) && name.length <= MAX_LENGTH && !isIP(name) ? name : undefined;
}

/** A domain in any spelling; store what `normalizeDomain` returns for it. */
export const domainName = z
  .string(expecting('must be a string'))
  .trim()
  .refine((text) => normalizeDomain(text) !== undefined, { error: 'must be a domain such as corp.example' });
