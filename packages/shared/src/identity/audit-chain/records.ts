import type { ObjectId } from 'mongodb';
import { collection } from '../../data/connect.ts';
import type { AuditAction } from '../audit-actions.ts';
import type { Commitments } from './commitments.ts';

/** One link of the chain. It stays as it was written until its day is removed by age. */
export interface AuditLink {
  /** The position: 1, 2, 3 and so on, over all days. */
  _id: number;
  /** The UTC day on which the event was linked, at midnight. It never decreases. */
  day: Date;
  /** The `_id` of the event. */
  event: ObjectId | string;
  event_id: string;
  action: AuditAction;
  at: Date;
  /** The digest of what stays in the event for as long as it is kept. */
  fixed: string;
  /** Salted digests of what a deletion of an account erases. */
  personal: Commitments;
  /** The digest of the previous link and of this record. */
  link: string;
}

/** What the signing process says about a day of the chain. One more day never changes it. */
export interface AuditAnchor {
  /** The UTC day, such as `2026-01-15`. */
  _id: string;
  /** The position of the first link of the day. */
  first: number;
  count: number;
  /** The last link. */
  head: string;
  /** The link before the first one; empty at the beginning of the chain. */
  previous: string;
  /** Whether a later day has begun, after which nothing is added to this one. */
  closed: boolean;
  signed_at: Date;
  /** The id of the key. */
  key: string;
  /** Ed25519, in base64url. */
  signature: string;
}

/** The work on the chain: whoever holds the lease does it. */
export interface AuditLease {
  _id: AuditWork;
  until: Date;
  holder?: string;
  /** How far the work has come. */
  position?: number;
  /** Failures in a row. */
  failures?: number;
  /** How many times the events of an earlier version were looked for. */
  passes?: number;
  /** When that is done again. */
  next_pass?: Date;
  /** How far the look for them has come. */
  walked?: ObjectId | string;
}

export type AuditWork = 'link' | 'sign' | 'stream to otlp' | 'stream to webhook';

/** Events are removed after 400 days; until then and as long again, the chain tells which there were. */
export const CHAIN_RETENTION_DAYS = 800;

export const chainCollections = {
  auditChain: collection<AuditLink>('audit_chain', [
    // No event is linked twice.
    { key: { event: 1 }, unique: true },
    // All links of a day are removed together.
    { key: { day: 1 }, expireAfterSeconds: CHAIN_RETENTION_DAYS * 86_400 },
  ]),
  auditAnchors: collection<AuditAnchor>('audit_anchors', []),
  auditLeases: collection<AuditLease>('audit_leases', []),
};

/** The UTC day of a time in Unix milliseconds, at midnight. */
export const dayOf = (at: number): Date => new Date(at - (at % 86_400_000));

/** The day as people write it, such as `2026-01-15`. */
export const dayName = (day: Date): string => day.toISOString().slice(0, 10);
