import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FastifyBaseLogger } from 'fastify';
import { Counter, type Registry } from 'prom-client';
import type { Config } from '../config.ts';
import { AppError } from '../http/errors.ts';
import { getText } from '../outbound/get-text.ts';
import type { Outbound } from '../outbound/outbound.ts';

/** Bytes of the shortest password. The schemas bound the longest. */
const MIN_LENGTH = 8;
/** Characters of the shortest word of a name that a password must not consist of. */
const MIN_WORD = 3;
/** Milliseconds for a lookup of breached passwords. */
const LOOKUP_TIMEOUT = 500;

const ADVICE = 'Choose another, for example a few unrelated words.';

interface Options {
  config: Pick<Config<'user'>, 'PASSWORD_POLICY' | 'PASSWORD_BREACH_URL' | 'BRAND_NAME'>;
  outbound: Pick<Outbound, 'agent'>;
  countLookup: (result: LookupResult) => void;
  log: Pick<FastifyBaseLogger, 'warn'>;
  /** Milliseconds. */
  lookupTimeout?: number;
}

/** Whether a password was among the breached ones; `failed` if the lookup did not tell. */
type LookupResult = 'found' | 'clear' | 'failed';

/** A new password, the field that holds it, and whose it is to be. */
interface NewPassword {
  field: 'password' | 'new_password';
  password: string;
  /** Older records may have no name. */
  person: { email: string; name?: unknown };
}

/**
 * Returns the check of new passwords (CONTRACT.md §Passwords; NIST SP 800-63B-4 §3.1.1.2): long enough, not common, not
 * breached, and nothing of the account or this service. It never asks for kinds of characters.
 * The check throws the AppError invalidFormat.
 */
export function createPasswordPolicy(options: Options): (given: NewPassword) => Promise<void> {
  const { config } = options;
  if (config.PASSWORD_POLICY === 'none') return async () => {};
  const common = commonPasswords();
  const isBreached = createBreachLookup(options);
  return async ({ field, password, person }) => {
    const refuse = (words: string): never => {
      throw new AppError('invalidFormat', { text: `${field} ${words} ${ADVICE}` });
    };
    if (Buffer.byteLength(password) < MIN_LENGTH) refuse(`must not be shorter than ${MIN_LENGTH} bytes.`);
    if (common.has(password.toLowerCase())) refuse('is one of the most common passwords.');
    if (namesOf(person, config.BRAND_NAME).has(coreOf(password)))
      refuse('must not be your name, your e-mail address or the name of this service.');
    if (await isBreached(password)) refuse('is known from a data breach.');
  };
}

export type PasswordPolicy = ReturnType<typeof createPasswordPolicy>;

/** Reads the list beside this file. Its head, up to the first empty line, names its source and license. */
function commonPasswords(): ReadonlySet<string> {
  const text = readFileSync(join(import.meta.dirname, 'common-passwords.txt'), 'utf8');
  return new Set(
    text
      .slice(text.indexOf('\n\n') + 2)
      .trimEnd()
      .split('\n'),
  );
}

/** A text as it is compared with names: letters and digits in lower case, without digits at its ends. */
const coreOf = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, '')
    .replaceAll(/^\p{N}+|\p{N}+$/gu, '');

function namesOf({ email, name: stored }: NewPassword['person'], brand: string): ReadonlySet<string> {
  const name = typeof stored === 'string' ? stored : '';
  const local = email.slice(0, email.lastIndexOf('@'));
  const names = [email, local, name, ...name.split(/\s/), brand].map(coreOf);
  return new Set(names.filter((each) => each.length >= MIN_WORD));
}

/**
 * Returns the lookup of breached passwords by range: only the first five digits of the SHA-1 leave this service, and
 * padding hides the number of matches (https://haveibeenpwned.com/API/v3#PwnedPasswords). A lookup that fails finds
 * nothing: people must not depend on that service to sign up.
 */
function createBreachLookup({
  config: { PASSWORD_BREACH_URL },
  outbound,
  countLookup,
  log,
  lookupTimeout = LOOKUP_TIMEOUT,
}: Options): (password: string) => Promise<boolean> {
  if (PASSWORD_BREACH_URL === undefined) return async () => false;
  return async (password) => {
    const digest = createHash('sha1').update(password).digest('hex').toUpperCase();
    const [prefix, suffix] = [digest.slice(0, 5), digest.slice(5)];
    try {
      const headers = { 'add-padding': 'true' };
      const { text } = await getText(outbound, `${PASSWORD_BREACH_URL}/${prefix}`, {
        timeout: lookupTimeout,
        headers,
      });
      const isFound = text.split(/\r?\n/).some((line) => {
        const [listed, count] = line.split(':');
        // Padding has the count 0.
        return listed?.toUpperCase() === suffix && Number(count) > 0;
      });
      countLookup(isFound ? 'found' : 'clear');
      return isFound;
    } catch (error) {
      countLookup('failed');
      log.warn({ err: error }, 'breached passwords cannot be looked up');
      return false;
    }
  };
}

/** Returns a function that counts lookups at /metrics. */
export function lookupCounter(metrics: Registry): (result: LookupResult) => void {
  const lookups = new Counter({
    name: 'password_breach_lookups_total',
    help: 'Lookups of new passwords among breached ones, by result',
    labelNames: ['result'],
    registers: [metrics],
  });
  return (result) => lookups.inc({ result });
}
