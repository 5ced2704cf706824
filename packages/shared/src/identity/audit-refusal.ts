import type { FastifyRequest } from 'fastify';
import { Counter, type Registry } from 'prom-client';
import { type Collections, collection } from '../data/connect.ts';
import { networksOf } from '../http/address.ts';
import { audit, auditAll, type auditCollections, type Details } from './audit.ts';
import { maskUnlessAddress } from './email.ts';
import type { User } from './user-record.ts';
import { userIdOf } from './users.ts';

/** The refused attempts of one hour from one network that name no known account. */
interface RefusalTally {
  /** The network and the hour. */
  _id: string;
  network: string;
  /** When the hour began. */
  hour: Date;
  count: number;
}

/** Events of an hour that are stored for an IPv4 address or an IPv6 /64; wider networks have their share. */
const STORED_PER_HOUR = 100;
const HOUR = 3_600_000;
const RETENTION_DAYS = 30;

export const refusalCollections = {
  refusalTallies: collection<RefusalTally>('refusal_tallies', [
    { key: { hour: 1 }, expireAfterSeconds: RETENTION_DAYS * 86_400 },
  ]),
};

type Database = Collections<typeof auditCollections & typeof refusalCollections>;

/**
 * Audits a refused attempt that names no known account. Any client can make these: beyond a limit for each network and
 * hour they are logged and counted, not stored.
 */
export const auditRefusal = (
  db: Database,
  request: FastifyRequest,
  now: number,
  details: Details,
): Promise<void> =>
  auditAll(db, request, now, [details], async () => {
    const isStored = await countRefusal(db, request, now);
    if (!isStored) notStored(request.server.metrics).inc({ action: details.action });
    return isStored;
  });

/** Audits an attempt at the account that a typed address names, if there is one. */
export const auditAttempt = (
  db: Database,
  request: FastifyRequest,
  now: number,
  { user, email, ...details }: Attempt,
): Promise<void> =>
  (user ? audit : auditRefusal)(db, request, now, {
    ...details,
    email: user?.email ?? maskUnlessAddress(email),
    user_id: user && userIdOf(user),
  });

type Attempt = Omit<Details, 'email' | 'user_id'> & {
  user: Pick<User, 'email' | 'user_id'> | null;
  /** As typed. */
  email: string;
};

/**
 * Counts the attempt, widest network first: when that is at its limit, nothing is written for the narrower ones, of
 * which it has many.
 * @returns whether the event is within the limits of all networks.
 */
async function countRefusal(db: Database, { ip, log }: FastifyRequest, now: number): Promise<boolean> {
  const hour = new Date(now - (now % HOUR));
  for (const { key: network, share } of networksOf(ip).toReversed()) {
    const tally = await db.refusalTallies.findOneAndUpdate(
      { _id: `${network} ${hour.toISOString()}` },
      { $inc: { count: 1 }, $setOnInsert: { network, hour } },
      { upsert: true, returnDocument: 'after' },
    );
    const limit = STORED_PER_HOUR * share;
    const count = tally?.count ?? 1;
    if (count === limit + 1)
      log.warn(
        { network, limit },
        'further refused attempts of this network and hour are counted, not stored',
      );
    if (count > limit) return false;
  }
  return true;
}

const METRIC = 'audit_events_not_stored_total';

const notStored = (registry: Registry): Counter =>
  (registry.getSingleMetric(METRIC) as Counter | undefined) ??
  new Counter({
    name: METRIC,
    help: 'Refused attempts that were counted and not stored, by action',
    labelNames: ['action'],
    registers: [registry],
  });
