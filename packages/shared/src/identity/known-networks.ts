import { createHash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import type { Collection, Filter, WithId } from 'mongodb';
import { onlyIf } from '../data/only-if.ts';
import { addressKey, widestNetwork } from '../http/address.ts';
import { deviceOf } from './audit.ts';
import { deviceNames } from './device.ts';
import { type Flows, networkFlows } from './fair-queue.ts';
import { newNotice, noticeFields } from './notices.ts';
import type { User } from './user-record.ts';

/** Networks of an account that are remembered: home, work and a few more. */
const MAX_NETWORKS = 8;
/** Pairs of device and network that are remembered. */
const MAX_SIGN_INS = 20;
const DAY = 86_400_000;
/** Notices of sign-ins of one account within a day. */
const NOTICES_PER_DAY = 3;
/** Milliseconds for which a stored day stays, so that a known pair costs a write once a week. */
const PRECISION = 7 * DAY;
/** Milliseconds after which a pair is new again; a stored day may be a week older than the latest login. */
const FORGOTTEN_AFTER = 90 * DAY + PRECISION;

/** Names something on the record of an account, without showing it at sight. */
const hashed = ({ _id }: Pick<WithId<User>, '_id'>, text: string): string =>
  createHash('sha256').update(`${_id.toHexString()} ${text}`).digest('base64url').slice(0, 16);

const networkId = (user: Pick<WithId<User>, '_id'>, ip: string): string => hashed(user, addressKey(ip));

/** Names the browser and operating system of a login together with its wide network. */
function signInId(user: WithId<User>, request: FastifyRequest): string {
  const { browser, os } = deviceNames(deviceOf(request));
  return hashed(user, JSON.stringify([browser, os, widestNetwork(request.ip)]));
}

/**
 * The flows of a login from a network of the account's recent logins; undefined from any other. The owner does not wait
 * behind a flood of guesses from elsewhere, which has the flow of the account.
 */
export function ownerFlows(user: WithId<User> | null, ip: string): Flows | undefined {
  const id = user && networkId(user, ip);
  if (!id || !user.login_networks?.includes(id)) return undefined;
  return [{ name: `owner ${user._id.toHexString()} ${id}`, share: 1 }, ...networkFlows(ip)];
}

/**
 * Remembers the network of a login, and its device with the wide network (CONTRACT.md §Notices). The same write stores
 * the notice of a sign-in from a device and network that the account, which has signed in before, has not used lately.
 * It costs a write only for what is new, and once a week. Beyond the budget of notices, a new pair stays unknown: whoever
 * has the password can neither become known in silence nor displace the pairs of the owner.
 */
export async function rememberSignIn(
  users: Collection<User>,
  user: WithId<User>,
  request: FastifyRequest,
  now: number,
): Promise<void> {
  const { _id, login_networks = [], sign_ins = [] } = user;
  const network = networkId(user, request.ip);
  const id = signInId(user, request);
  const seen = sign_ins.find((signIn) => signIn.id === id)?.day.getTime() ?? Number.NEGATIVE_INFINITY;
  const isCurrent = seen > now - PRECISION;
  if (isCurrent && login_networks.includes(network)) return;

  const isNew = sign_ins.length > 0 && seen <= now - FORGOTTEN_AFTER;
  const notice = { kind: 'new_sign_in', to: user.email, at: now, request, details: {} } as const;
  const remembered = {
    sign_ins: moveToEnd(
      '$sign_ins',
      { $ne: ['$$this.id', id] },
      { id, day: new Date(Math.floor(now / DAY) * DAY) },
      MAX_SIGN_INS,
    ),
  };
  // Of equal logins at once, one stores the pair and the notice.
  const unchanged: Filter<User> = isCurrent
    ? { login_networks: { $ne: network } }
    : { sign_ins: { $not: { $elemMatch: { id, day: { $gt: new Date(now - PRECISION) } } } } };
  await users.updateOne({ _id, ...unchanged }, [
    {
      $set: {
        login_networks: moveToEnd('$login_networks', { $ne: ['$$this', network] }, network, MAX_NETWORKS),
        ...(!isCurrent && !isNew && remembered),
        ...(isNew && withinBudget(now, { ...remembered, ...noticeFields(newNotice(notice)) })),
      },
    },
  ]);
}

/** Fields that change only while the budget of notices lasts, and the budget, as expressions. */
function withinBudget(now: number, fields: Record<string, unknown>): Record<string, unknown> {
  const input = { $ifNull: ['$sign_in_notices', []] };
  const recent = { $filter: { input, cond: { $gt: ['$$this', new Date(now - DAY)] } } };
  const isLeft = { $lt: [{ $size: recent }, NOTICES_PER_DAY] };
  const spent = { ...fields, sign_in_notices: { $concatArrays: [recent, [new Date(now)]] } };
  return onlyIf(isLeft, spent);
}

/** A list with an item at its end, as an expression. The items at its beginning give way. */
const moveToEnd = (list: string, isOther: object, item: unknown, max: number) => ({
  $slice: [{ $concatArrays: [{ $filter: { input: { $ifNull: [list, []] }, cond: isOther } }, [item]] }, -max],
});
