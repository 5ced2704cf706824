import { createHash, randomBytes } from 'node:crypto';
import type { Collections } from '@gatehouse/shared/data/connect';
import { collection, isDuplicateKey } from '@gatehouse/shared/data/connect';
import type { Operator, operatorCollections } from '@gatehouse/shared/identity/operators';

/** The secret in a one-time link that makes the account that opens it the first operator. There is one at most. */
interface OperatorClaim {
  _id: 'first';
  /** The digest of the secret, which is stored nowhere. */
  digest: string;
  /** Compared at use. */
  expires_at: Date;
  /** The account that has used it and becomes the operator. Only this account completes what a killed call has left. */
  claimed_by?: string;
  claimed_at?: Date;
}

/** Minutes for which a link is valid. */
export const CLAIM_MINUTES = 60;

/** Milliseconds after which a used claim whose call has been killed can be replaced. */
const STALE = 60_000;

export const claimCollections = {
  operatorClaims: collection<OperatorClaim>('operator_claims', [
    { key: { expires_at: 1 }, expireAfterSeconds: 3_600 },
  ]),
};

type Database = Collections<typeof claimCollections & typeof operatorCollections>;

const digestOf = (secret: string): string => createHash('sha256').update(secret).digest('base64url');

/**
 * Makes the link for the first operator, which replaces the one that was made before.
 * @returns undefined if there is an operator.
 * @throws if an account is becoming the operator by the link before.
 */
export async function createFirstOperatorLink(
  db: Database,
  publicUrl: string,
  now: number,
): Promise<string | undefined> {
  if (await db.operators.findOne({})) return undefined;
  const secret = randomBytes(32).toString('base64url');
  const claim = { digest: digestOf(secret), expires_at: new Date(now + CLAIM_MINUTES * 60_000) };
  const isUnused = {
    $or: [{ claimed_at: { $exists: false } }, { claimed_at: { $lt: new Date(now - STALE) } }],
  };
  await db.operatorClaims
    .updateOne(
      { _id: 'first', ...isUnused },
      { $set: claim, $unset: { claimed_by: true, claimed_at: true } },
      { upsert: true },
    )
    .catch((error) => {
      if (isDuplicateKey(error)) throw new Error('the link before is being used; try again in a minute');
      throw error;
    });
  // In the fragment, which no server and no log of one sees.
  return `${publicUrl.replace(/\/$/, '')}/admin#claim=${secret}`;
}

/**
 * Makes an account the first operator.
 * @returns the operator and whether this call added it; undefined if the secret is wrong, expired or used, or if there
 * is an operator.
 */
export async function claimFirstOperator(
  db: Database,
  { secret, user_id, now }: { secret: string; user_id: string; now: number },
): Promise<{ operator: Operator; isAdded: boolean } | undefined> {
  if (await db.operators.findOne({})) return undefined;
  const digest = digestOf(secret);
  const claim = await db.operatorClaims.findOneAndUpdate(
    {
      _id: 'first',
      digest,
      expires_at: { $gt: new Date(now) },
      $or: [{ claimed_by: { $exists: false } }, { claimed_by: user_id }],
    },
    { $set: { claimed_by: user_id, claimed_at: new Date(now) } },
  );
  if (!claim) return undefined;
  const operator: Operator = {
    _id: user_id,
    level: 'admin',
    added_at: new Date(now),
    added_by: 'command line',
  };
  const isAdded = await db.operators.insertOne(operator).then(
    () => true,
    (error) => {
      // The same account used the link twice at once.
      if (isDuplicateKey(error)) return false;
      throw error;
    },
  );
  await db.operatorClaims.deleteOne({ _id: 'first', digest });
  return { operator, isAdded };
}
