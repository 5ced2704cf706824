import { derivedId } from '@gatehouse/shared/derived-id';
import type { AuditEvent } from '@gatehouse/shared/identity/audit';
import { type AuditedJob, auditJob } from '@gatehouse/shared/identity/audit';
import { newKeyPair, signingKeyOf, verifyKeyOf } from '@gatehouse/shared/identity/audit-chain/anchors';
import type { AuditAnchor } from '@gatehouse/shared/identity/audit-chain/records';
import { signDays } from '@gatehouse/shared/identity/audit-chain/sign-days';
import { linkEvents } from '../../../services/user/audit-chain/link-events.ts';
import { verifyAudit } from '../../../services/user/audit-chain/verify/verify-audit.ts';
import { COLLECTIONS } from '../../../services/user/database.ts';
import { testClock } from '../../fixtures/clock.ts';
import { freshDatabase } from '../../fixtures/database.ts';
import { asService } from '../../fixtures/scans/watch.ts';

export const DAY = 86_400;
export const silent = { info() {}, warn() {} } as unknown as AuditedJob['log'];

/** An audit trail with its chain, which tests store events in, link, sign and verify by hand. */
export async function auditTrail() {
  const { db, uri, drop } = await freshDatabase(COLLECTIONS);
  // In the future, because the database removes events of the past by its own clock.
  const start = Date.UTC(2126, 0, 15, 9, 30);
  const clock = testClock(start);
  const pair = newKeyPair();
  const key = signingKeyOf(pair.signing_key);
  const keys = new Map([[pair.key_id, verifyKeyOf(pair.verify_key)]]);
  let stored = 0;
  let signed: AuditAnchor | null = null;
  const trail = {
    db,
    uri,
    clock,
    key,
    keys,
    drop,
    /** Stores an event as a service does, and returns it. */
    async store(details: Partial<AuditEvent> & Pick<AuditEvent, 'action'>): Promise<AuditEvent> {
      stored += 1;
      // Ids that are derived within a millisecond are in random order.
      clock.advance(1);
      const event_id = derivedId(clock.now(), `${stored}`);
      await auditJob(db, { id: 'job', log: silent }, clock.now(), [{ event_id, ...details }]);
      const { address, session } = details;
      // Jobs have no address and no session.
      if (address || session)
        await db.auditEvents.updateOne(
          { event_id },
          { $set: { ...(address && { address }), ...(session && { session }) } },
        );
      return event(event_id);
    },
    link: () => asService(() => linkEvents({ db, now: clock.now, log: silent, batch: 3 })),
    async sign() {
      const result = await asService(() => signDays({ db, key, now: clock.now }, signed));
      signed = result.anchor;
      return result;
    },
    /** As another process, which has signed nothing before. */
    signAnew: () => signDays({ db, key, now: clock.now }, null),
    verify: (options: Partial<Parameters<typeof verifyAudit>[0]> = {}) =>
      verifyAudit({ db, keys, now: clock.now(), ...options }),
    /** What is wrong, in words. */
    problems: async (options: Partial<Parameters<typeof verifyAudit>[0]> = {}) =>
      (await trail.verify(options)).problems.map(({ text }) => text),
  };
  const event = async (event_id: string): Promise<AuditEvent> => {
    const found = await db.auditEvents.findOne({ event_id });
    if (!found) throw new Error('not stored');
    return found;
  };
  // The look for events of an earlier version is over.
  await trail.link();
  clock.advance(2 * DAY);
  await trail.link();
  return trail;
}

export type AuditTrail = Awaited<ReturnType<typeof auditTrail>>;

/** Two days of events: three that were linked and signed on each, the first day is closed. */
export async function twoDays(trail: AuditTrail): Promise<AuditEvent[]> {
  const ada = { user_id: 'User-1', email: 'ada@example.com', address: '198.51.100.7' };
  const session = { id: 'one', device: 'Firefox', expires_at: new Date(trail.clock.now()) };
  const events = [
    await trail.store({ action: 'login', ...ada, session }),
    await trail.store({ action: 'profile.update', ...ada, before: { name: 'A' }, after: { name: 'Ada' } }),
    await trail.store({
      action: 'invitation.create',
      ...ada,
      target: { invitation_id: 'i', email: 'bob@example.com' },
      after: { role: 'Viewer' },
      organization_id: 'o',
      department_id: 'd',
    }),
  ];
  await trail.link();
  await trail.sign();
  trail.clock.advance(DAY);
  for (const action of ['logout', 'login', 'refresh'] as const)
    events.push(await trail.store({ action, ...ada }));
  await trail.link();
  await trail.sign();
  return events;
}
