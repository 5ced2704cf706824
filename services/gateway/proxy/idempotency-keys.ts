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
  /** The status of a response that was not kept. */
  status?: number;
  /** Absent when the response was too large to store, or the account's storage was full. */
  answer?: { status: number; headers: Record<string, string>; body: string };
}

/** The bytes of responses that were stored for an account, counted from the first one for 24 hours. */
interface IdempotencyStorage {
  _id: string;
  bytes: number;
  expires_at: Date;
}

export const idempotencyCollections = {
  idempotencyKeys: collection<IdempotencyKey>('idempotency_keys', [
    { key: { expires_at: 1 }, expireAfterSeconds: 0 },
  ]),
  idempotencyStorage: collection<IdempotencyStorage>('idempotency_storage', [
    { key: { expires_at: 1 }, expireAfterSeconds: 0 },
  ]),
};
