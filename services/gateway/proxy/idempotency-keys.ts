import { collection } from '@gatehouse/shared/data/connect';

/** The outcome of a call with an `Idempotency-Key`; without a `fingerprint` the call is in flight. */
interface IdempotencyKey {
  _id: string;
  /** Identifies the call that holds or held the lease. */
  lease_id: string;
  /** No other call may take the key before this time. */
  leased_until: Date;
  expires_at: Date;
  /** A digest of the request. */
  fingerprint?: string;
  /** Absent when the response was too large to store. */
  answer?: { status: number; headers: Record<string, string>; body: string };
}

export const idempotencyCollections = {
  idempotencyKeys: collection<IdempotencyKey>('idempotency_keys', [
    { key: { expires_at: 1 }, expireAfterSeconds: 0 },
  ]),
};
