import { createHash, createHmac, hkdfSync, randomInt } from 'node:crypto';
import type { Config } from '@gatehouse/shared/config';
import { onlyIf } from '@gatehouse/shared/data/only-if';
import { emailKey } from '@gatehouse/shared/identity/email';
import { LOGIN_CODE_LIFETIME } from '@gatehouse/shared/identity/tokens';
import type { Document } from 'mongodb';
import type { Database } from '../../database.ts';

/** Wrong guesses that kill a code, counted separately for the holder of its token. */
const GUESSES = 5;

type Keys = Pick<Config<'user'>, 'JWT_SECRET' | 'JWT_SECRET_PREVIOUS'>;

const idOf = (email: string): string => createHash('sha256').update(emailKey(email)).digest('base64url');

/**
 * The digests of a code by the keys of this service, the current one first. A plain digest of six digits would be as
 * good as the code.
 */
const digestsOf = ({ JWT_SECRET, JWT_SECRET_PREVIOUS }: Keys, id: string, code: string): string[] =>
  [JWT_SECRET, JWT_SECRET_PREVIOUS]
    .filter((secret) => secret !== undefined)
    .map((secret) =>
      createHmac('sha256', Buffer.from(hkdfSync('sha256', secret, '', 'gatehouse login codes', 32)))
        .update(`${id} ${code}`)
        .digest('base64url'),
    );

/** Stores a new code for an address in place of the earlier one. @returns the code. */
export async function issueLoginCode(
  { config, db }: { config: Keys; db: Pick<Database, 'loginCodes'> },
  { email, attempt, now }: { email: string; attempt: string; now: number },
): Promise<string> {
  const code = String(randomInt(1_000_000)).padStart(6, '0');
  const _id = idOf(email);
  const [digest = ''] = digestsOf(config, _id, code);
  const stored = {
    digest,
    attempt,
    issued_at: new Date(now),
    expires_at: new Date(now + LOGIN_CODE_LIFETIME * 1000),
    holder_guesses: 0,
    other_guesses: 0,
  };
  await db.loginCodes.replaceOne({ _id }, stored, { upsert: true });
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

/**
 * Uses a code. Comparing, counting a wrong guess and using the code are one atomic write: parallel guesses cannot exceed
 * the limit, and of equal right ones one succeeds. Guesses with the token of the code are counted apart: a stranger
 * cannot use up those of the browser that asked for it.
 * @returns when the code was issued; undefined if it is not right.
 */
export async function spendLoginCode(
  { config, db }: { config: Keys; db: Pick<Database, 'loginCodes'> },
  { email, code, attempt, now }: Guess,
): Promise<Date | undefined> {
  const _id = idOf(email);
  const isHolder = { $eq: ['$attempt', { $literal: attempt ?? '' }] };
  const guesses = { $cond: [isHolder, '$holder_guesses', '$other_guesses'] };
  const verdict = {
    $switch: {
      branches: [
        {
          case: { $or: [{ $gte: [guesses, GUESSES] }, { $eq: [{ $type: '$digest' }, 'missing'] }] },
          then: 'dead',
        },
        { case: { $in: ['$digest', digestsOf(config, _id, code)] }, then: 'right' },
      ],
      default: 'wrong',
    },
  };
  const plusOneIf = (field: string, condition: Document) => ({
    $add: [`$${field}`, { $cond: [condition, 1, 0] }],
  });
  const checked = await db.loginCodes.findOneAndUpdate(
    { _id, expires_at: { $gt: new Date(now) } },
    [
      { $set: { verdict } },
      {
        $set: onlyIf(
          { $eq: ['$verdict', 'wrong'] },
          {
            holder_guesses: plusOneIf('holder_guesses', isHolder),
            other_guesses: plusOneIf('other_guesses', { $not: [isHolder] }),
          },
        ),
      },
      { $set: onlyIf({ $eq: ['$verdict', 'right'] }, { digest: '$$REMOVE' }) },
    ],
    { returnDocument: 'after' },
  );
  return checked?.verdict === 'right' ? checked.issued_at : undefined;
}
