import { createHash, createHmac, hkdfSync, randomInt } from 'node:crypto';
import type { Config } from '@gatehouse/shared/config';
import { onlyIf } from '@gatehouse/shared/data/only-if';
import { emailKey } from '@gatehouse/shared/identity/email';
import { LOGIN_CODE_LIFETIME } from '@gatehouse/shared/identity/tokens';
import type { Filter } from 'mongodb';
import type { Database } from '../../database.ts';
import type { LoginCode } from './records.ts';

/** Wrong guesses that invalidate a code, counted separately for the holder of its token. */
const GUESSES = 5;

type Keys = Pick<Config<'user'>, 'JWT_SECRET' | 'JWT_SECRET_PREVIOUS'>;

const addressOf = (email: string): string => createHash('sha256').update(emailKey(email)).digest('base64url');

const idOf = (address: string, attempt: string): string => `${address} ${attempt}`;

/** Matches the codes of an address that were asked for after an attempt; every code of it after ''. */
const laterThan = (address: string, attempt: string) => ({
  // `!` is the character after the space.
  _id: { $gt: idOf(address, attempt), $lt: `${address}!` },
});

/**
 * The keyed digests of a code, with the current secret first. A plain digest of six digits is soon reversed by trying
 * them all.
 */
const digestsOf = ({ JWT_SECRET, JWT_SECRET_PREVIOUS }: Keys, address: string, code: string): string[] =>
  [JWT_SECRET, JWT_SECRET_PREVIOUS]
    .filter((secret) => secret !== undefined)
    .map((secret) =>
      createHmac('sha256', Buffer.from(hkdfSync('sha256', secret, '', 'gatehouse login codes', 32)))
        .update(`${address} ${code}`)
        .digest('base64url'),
    );

/**
 * Stores a new code for an address. @returns the code.
 * @param request.attempt a UUIDv7: later ones are greater.
 */
export async function issueLoginCode(
  { config, db }: { config: Keys; db: Pick<Database, 'loginCodes'> },
  { email, attempt, now }: { email: string; attempt: string; now: number },
): Promise<string> {
  const code = String(randomInt(1_000_000)).padStart(6, '0');
  const address = addressOf(email);
  const [digest = ''] = digestsOf(config, address, code);
  await db.loginCodes.insertOne({
    _id: idOf(address, attempt),
    digest,
    issued_at: new Date(now),
    expires_at: new Date(now + LOGIN_CODE_LIFETIME * 1000),
    holder_guesses: 0,
    other_guesses: 0,
  });
  return code;
}

interface Guess {
  email: string;
  code: string;
  /** The id in the submitted token; undefined without a token. */
  attempt: string | undefined;
  /** Unix milliseconds. */
  now: number;
}

interface UsedCode {
  /** The request for it. */
  attempt: string;
  issued_at: Date;
}

/**
 * Uses the code of the token's request, or else the newest one of the address. A stranger's request therefore replaces
 * no code in another browser.
 * @returns undefined if it is not right.
 */
export async function spendLoginCode(
  { config, db }: { config: Keys; db: Pick<Database, 'loginCodes'> },
  { email, code, attempt = '', now }: Guess,
): Promise<UsedCode | undefined> {
  const address = addressOf(email);
  const digests = digestsOf(config, address, code);
  const unexpired = { expires_at: { $gt: new Date(now) } };
  const own = { _id: idOf(address, attempt), ...unexpired };
  const newest = { ...laterThan(address, attempt), ...unexpired };
  const used =
    (attempt !== '' && (await compare(db, own, digests, 'holder_guesses'))) ||
    (await compare(db, newest, digests, 'other_guesses'));
  return used ? { attempt: used._id.slice(address.length + 1), issued_at: used.issued_at } : undefined;
}

/**
 * Compares a guess with the newest code that matches. Comparing, counting a wrong guess and using the code are one
 * atomic write: parallel guesses cannot exceed the limit, and one of several right ones succeeds. Guesses with the token
 * of the code are counted apart: a stranger cannot use up those of the browser that asked for it.
 */
async function compare(
  { loginCodes }: Pick<Database, 'loginCodes'>,
  filter: Filter<LoginCode>,
  digests: string[],
  counter: 'holder_guesses' | 'other_guesses',
): Promise<LoginCode | undefined> {
  const verdict = {
    $switch: {
      branches: [
        {
          case: { $or: [{ $gte: [`$${counter}`, GUESSES] }, { $eq: [{ $type: '$digest' }, 'missing'] }] },
          then: 'dead',
        },
        { case: { $in: ['$digest', digests] }, then: 'right' },
      ],
      default: 'wrong',
    },
  };
  const checked = await loginCodes.findOneAndUpdate(
    filter,
    [
      { $set: { verdict } },
      { $set: onlyIf({ $eq: ['$verdict', 'wrong'] }, { [counter]: { $add: [`$${counter}`, 1] } }) },
      { $set: onlyIf({ $eq: ['$verdict', 'right'] }, { digest: '$$REMOVE' }) },
    ],
    { sort: { _id: -1 }, returnDocument: 'after' },
  );
  return checked?.verdict === 'right' ? checked : undefined;
}
