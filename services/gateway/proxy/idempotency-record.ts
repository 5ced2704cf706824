import { collection } from '@gatehouse/shared/data/connect';

/** The outcome of a call with an `Idempotency-Key`; without an answer the call is in flight. */
interface IdempotencyKey {
  _id: string;
  /** Until then no other call may use the key. */
  leased_until: Date;
  expires_at: Date;
  /** A digest of the request body. */
  fingerprint?: string;
  answer?: { status: number; headers: Record<string, string>; body: string };
}

export const idempotencyCollections = {
  idempotencyKeys: collection<IdempotencyKey>('idempotency_keys', [
    { key: { expires_at: 1 }, expireAfterSeconds: 0 },
  ]),
};
