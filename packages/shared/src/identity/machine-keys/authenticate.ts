import type { Collection, WithId } from 'mongodb';
import { ObjectId } from 'mongodb';
import { tierOf } from '../../access/tiers.ts';
import type { Collections } from '../../data/connect.ts';
import { AppError } from '../../http/errors.ts';
import type { Principal } from '../caller.ts';
import { requiresSso, type ssoDomainCollections } from '../sso.ts';
import type { User } from '../user-record.ts';
import { findUserById, isActive, type userCollections, userIdOf } from '../users.ts';
import { isSecret, parseKey } from './format.ts';
import type { MachineKey, machineKeyCollections, ServiceAccount } from './records.ts';

/** What the check of a key reads. */
export type KeyDatabase = Collections<
  typeof userCollections & typeof machineKeyCollections & typeof ssoDomainCollections
>;

/** Checks a bearer that begins like a key. @param now Unix milliseconds. */
export type AuthenticateKey = (key: string, now: number) => Promise<Principal>;

/**
 * Checks a machine key (CONTRACT.md §Keys): its secret, its expiry, and whether its owner may act now. The client's network
 * and what the call needs are checked for each request (admit.ts), because principals are remembered.
 * @throws {AppError} invalidToken, tokenExpired or ssoRequired.
 */
export function createAuthenticateKey(db: KeyDatabase): AuthenticateKey {
  return async (text, now) => {
    const parsed = parseKey(text);
    const key = parsed && (await db.machineKeys.findOne({ _id: parsed.id }));
    if (!key) throw new AppError('invalidToken');
    const until = expiryOf(key, parsed.secret);
    if (until === undefined) throw new AppError('invalidToken');
    if (until <= now) throw new AppError('tokenExpired');
    const owner = await ownerOf(db, key, now);
    return {
      ...owner,
      session: { id: `key:${key._id}`, hasId: true, beganAt: key.created_at.getTime() },
      // Nobody is at the keyboard, so no call of a key is fresh.
      confirmedAt: 0,
      checkedAt: now,
      expiresAt: until,
      key,
    };
  };
}

/** When the presented secret stops working, in Unix milliseconds; undefined for another secret. */
function expiryOf({ hash, previous, expires_at }: MachineKey, secret: string): number | undefined {
  const end = expires_at?.getTime() ?? Number.MAX_SAFE_INTEGER;
  if (isSecret(secret, hash)) return end;
  if (previous && isSecret(secret, previous.hash)) return Math.min(end, previous.until.getTime());
  return undefined;
}

async function ownerOf(
  db: KeyDatabase,
  { owner, created_at }: MachineKey,
  now: number,
): Promise<Pick<Principal, 'user' | 'serviceAccount'>> {
  if (!(owner instanceof ObjectId)) return serviceAccountOf(db, owner);
  const user = await findUserById(db.users, owner);
  const hasEnded = user?.keys_valid_from !== undefined && created_at <= user.keys_valid_from;
  // A deletion that is pending ends with a login, which a key is not.
  if (!user || !isActive(user) || user.deletion || hasEnded || userIdOf(user) === null)
    throw new AppError('invalidToken');
  if (await requiresSso(db, user, now)) throw new AppError('ssoRequired', { text: SSO_REQUIRED });
  return { user };
}

export const SSO_REQUIRED =
  'The organization requires single sign-on, so personal keys do not work. Please use a service account.';

type WithPlace = WithId<ServiceAccount> & {
  organization: { archived_at?: string; deleting?: unknown }[];
  plans: string[];
};

/** @throws {AppError} invalidToken if the service account or its organization is gone or archived. */
async function serviceAccountOf(db: KeyDatabase, service_account_id: string) {
  const organization = { localField: 'organization_id', foreignField: 'organization_id' };
  const paid = { 'billing.payment_status': 'paid', archived_at: { $exists: false } };
  const [found] = await (db.serviceAccounts as Collection<ServiceAccount>)
    .aggregate<WithPlace>([
      { $match: { service_account_id, deleting: { $exists: false } } },
      {
        $lookup: {
          from: 'organizations',
          ...organization,
          pipeline: [{ $project: { _id: 0, archived_at: 1, deleting: 1 } }],
          as: 'organization',
        },
      },
      {
        $lookup: {
          from: 'departments',
          ...organization,
          pipeline: [{ $match: paid }, { $project: { _id: 0, plan: '$billing.subscription_plan' } }],
          as: 'plans',
        },
      },
      { $set: { plans: '$plans.plan' } },
    ])
    .toArray();
  const [place] = found?.organization ?? [];
  if (!found || !place || place.archived_at !== undefined || place.deleting !== undefined)
    throw new AppError('invalidToken');
  const { organization: _, plans, ...serviceAccount } = found;
  return { user: actorOf(serviceAccount, bestOf(plans)), serviceAccount };
}

/** The plan with the widest rate tier: an organization has the best plan of its departments. */
function bestOf(plans: readonly string[]): string {
  const width = (plan: string) => tierOf(plan)[0]?.limit ?? Number.POSITIVE_INFINITY;
  return plans.toSorted((one, other) => width(other) - width(one))[0] ?? 'Free';
}

/** A service account in the shape in which callers are known. It is stored nowhere and has no address. */
const actorOf = (
  { _id, service_account_id, name, created_at }: WithId<ServiceAccount>,
  subscription_plan: string,
): WithId<User> => ({
  _id,
  email: '',
  password: '',
  name,
  verified: true,
  user_id: service_account_id,
  account_status: 'active',
  payment_status: '',
  'user_created_at(DATE)': created_at.toISOString(),
  subscription_id: '',
  subscription_date: '',
  subscription_plan,
});
