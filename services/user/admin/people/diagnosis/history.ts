import { TIME_LIMIT } from '@gatehouse/shared/data/time-limit';
import type { AuditEvent } from '@gatehouse/shared/identity/audit';
import type { User } from '@gatehouse/shared/identity/user-record';
import { userIdOf } from '@gatehouse/shared/identity/users';
import { hasPassword } from '@gatehouse/shared/identity/ways-in';
import type { Filter, WithId } from 'mongodb';
import { ownAttempts } from '../../../account/own-attempts.ts';
import type { Database } from '../../../database.ts';
import { personIdOf } from '../find-person.ts';

const DAY = 86_400_000;
/** Days of which attempts are shown, and the most that are read. */
const ATTEMPT_DAYS = 30;
export const MAX_ATTEMPTS = 100;

const LOGINS: Filter<AuditEvent> = { action: { $in: ['login', 'sso.login'] } };

/** What the audit tells about the logins of a person. */
export interface History {
  /** Newest first. */
  attempts: AuditEvent[];
  lastLogin: AuditEvent | undefined;
  /** The act of the operator who disabled the account. */
  disabling: AuditEvent | undefined;
  /** What voided the password of an account without one. */
  voiding: AuditEvent | undefined;
}

/** @param now Unix milliseconds. */
export async function readHistory(db: Database, user: WithId<User>, now: number): Promise<History> {
  const user_id = userIdOf(user);
  const newest = (filter: Filter<AuditEvent>, limit = 1) =>
    db.auditEvents.find(filter, { sort: { at: -1, event_id: -1 }, limit, ...TIME_LIMIT }).toArray();
  const ofAccount = (filter: Filter<AuditEvent>, limit?: number) =>
    user_id === null ? [] : newest({ user_id, ...filter }, limit);
  const recent = { at: { $gt: new Date(now - ATTEMPT_DAYS * DAY) } };
  const [own, withAddress, [lastLogin], [disabling], [voiding]] = await Promise.all([
    ofAccount({ ...LOGINS, ...recent }, MAX_ATTEMPTS),
    newest({ $and: [ownAttempts(user), LOGINS, recent] }, MAX_ATTEMPTS),
    ofAccount({ ...LOGINS, outcome: 'success' }),
    user.account_status === 'disabled'
      ? newest({ 'target.user_id': personIdOf(user), action: 'admin.person_disable', outcome: 'success' })
      : [],
    hasPassword(user)
      ? []
      : ofAccount({
          outcome: 'success',
          $or: [{ action: 'email.undo' }, { action: 'link.add', 'after.account': 'taken over' }],
        }),
  ]);
  const attempts = [...own, ...withAddress]
    .toSorted((one, other) => other.at.getTime() - one.at.getTime())
    .slice(0, MAX_ATTEMPTS);
  return { attempts, lastLogin, disabling, voiding };
}
