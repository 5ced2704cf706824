import { ANY_STRING } from '@gatehouse/shared/data/connect';
import { TIME_LIMIT, tooSlow } from '@gatehouse/shared/data/time-limit';
import type { User } from '@gatehouse/shared/identity/user-record';
import { EMAIL_COLLATION, UNVERIFIED } from '@gatehouse/shared/identity/users';
import { escapeRegex } from '@gatehouse/shared/operation/lists';
import type { CollationOptions, Filter, IndexSpecification, Sort, WithId } from 'mongodb';
import type { Database } from '../../database.ts';
import { nameBegins } from './name-words.ts';

const SINCE_EVER = { $gt: new Date(0) };

/** What people are filtered by. Each has an index of its own. */
const STATES = {
  active: { account_status: 'active' },
  unverified: UNVERIFIED,
  paused: { account_status: 'paused' },
  disabled: { account_status: 'disabled' },
  deletion_requested: { 'deletion.next': SINCE_EVER },
  second_factor: { 'second_factor.secret': ANY_STRING },
  factor_reset: { 'factor_reset.due_at': SINCE_EVER },
  imported: { 'imported.at': SINCE_EVER },
} as const satisfies Record<string, Filter<User>>;

export const PERSON_STATES = Object.keys(STATES) as [keyof typeof STATES, ...(keyof typeof STATES)[]];

/** One way to find people. An index finds them in the order of `sort`. */
interface Way {
  filter: Filter<User>;
  sort?: Sort;
  /** Reads in the order of the index; not with a state, whose index may find fewer. */
  hint?: IndexSpecification;
  collation?: CollationOptions;
}

/** Sorts after every character, also in a collation (CLDR root, U+FFFF). */
const LAST = '\uffff';

const byEmail = (text: string): Way => ({
  // The range bounds the index; the pattern leaves out addresses with other letters of equal weight.
  filter: { email: { $gte: text, $lt: `${text}${LAST}`, $regex: `^${escapeRegex(text)}`, $options: 'i' } },
  hint: { email: 1 },
  collation: EMAIL_COLLATION,
});

/** The ways to find people by a text, each by its own index and so by its own query. */
function waysOf(text: string): Way[] {
  if (/^user-\d+$/i.test(text)) return [{ filter: { user_id: `User-${text.slice('User-'.length)}` } }];
  const name = nameBegins(text);
  // No name has an @.
  return [
    { filter: { user_id: text } },
    byEmail(text),
    ...(name && !text.includes('@') ? [{ filter: name }] : []),
  ];
}

/**
 * Finds people.
 * @param limits.last how many to return, from the first.
 * @param limits.maxCount how many to count.
 * @throws {AppError} unavailable if that takes too long, such as a rare state among everybody with one letter.
 */
export async function search(
  { users }: Pick<Database, 'users'>,
  {
    search: text = '',
    state,
    order,
  }: { search?: string | undefined; state?: string | undefined; order: string },
  { last, maxCount }: { last: number; maxCount: number },
): Promise<{ users: WithId<User>[]; total_items: number }> {
  const chosen: Filter<User> = state ? STATES[state as keyof typeof STATES] : {};
  const newest: Way = { filter: {}, ...(!state && { sort: { _id: order === 'asc' ? 1 : -1 } }) };
  const ways = text.trim() === '' ? [newest] : waysOf(text.trim());
  const found = await Promise.all(
    ways.map(async ({ filter, sort, hint, collation }) => {
      const matching: Filter<User> = state ? { $and: [filter, chosen] } : filter;
      const options = { ...TIME_LIMIT, ...(collation && { collation }), ...(hint && !state && { hint }) };
      const read = await users.find(matching, { ...options, ...(sort && { sort }), limit: last }).toArray();
      const isAll = read.length < last;
      const count = isAll
        ? read.length
        : await users.countDocuments(matching, { ...options, limit: maxCount });
      return { read, count };
    }),
  ).catch(tooSlow('The search takes too long; search for more of the address or the name'));
  const people = new Map(found.flatMap(({ read }) => read.map((user) => [user._id.toHexString(), user])));
  const counted = found.reduce((sum, { count }) => sum + count, 0);
  const isComplete = found.every(({ read, count }) => read.length >= count);
  // Somebody may be found in both ways.
  const total_items = isComplete ? people.size : Math.min(counted, maxCount);
  return { users: [...people.values()].slice(0, last), total_items };
}
