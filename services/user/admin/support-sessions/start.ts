import { isDuplicateKey } from '@gatehouse/shared/data/connect';
import { AppError } from '@gatehouse/shared/http/errors';
import { oneOf } from '@gatehouse/shared/http/fields';
import { newNotice, withNotice } from '@gatehouse/shared/identity/notices';
import { newSessionId } from '@gatehouse/shared/identity/tokens';
import type { User } from '@gatehouse/shared/identity/user-record';
import { ACTIVE } from '@gatehouse/shared/identity/users';
import type { WithId } from 'mongodb';
import { z } from 'zod';
import type { Database } from '../../database.ts';
import { operatorOf } from '../../operators/require-operator.ts';
import { approvalRecord } from '../approvals/contract.ts';
import { requireApproval } from '../approvals/require-approval.ts';
import { operation } from '../operation.ts';
import { auditAdmin, withReason } from '../reason.ts';
import { MODES } from './contract.ts';
import type { SupportRecord } from './records.ts';

const minutes = z
  .int({ error: 'must be an integer from 5 to 60' })
  .min(5, { error: 'must be an integer from 5 to 60' })
  .max(60, { error: 'must be an integer from 5 to 60' });

const begun = z
  .object({
    session_id: z.string(),
    expires_at: z.string().meta({ format: 'date-time' }),
    link: z.string().meta({ description: 'Opens the session in the account pages; it holds the token' }),
  })
  .meta({
    description: 'The support session has begun',
    examples: [
      {
        session_id: '01936f31-2c4b-7b1d-8e52-6a0d4f9c7e13',
        expires_at: '2026-01-15T10:00:00.000Z',
        link: 'https://accounts.example.com/login?adminRedirect=true&token=eyJhbGciOiJIUzI1NiJ9.…&user_id=User-720415',
      },
    ],
  });

/** An account that an operator may enter; an account without a user_id has no link. */
const enterable = (user_id: string) => ({ user_id, ...ACTIVE, 'deletion.begun_at': { $exists: false } });

/**
 * Hands a token out after three writes: the record, the notice to the person, and the audit event. It is no login: the
 * account keeps its last login and a pending deletion, and no webhook hears of it.
 */
export const startSupportSession = operation('POST /api/v1/admin/people/{person_id}/support-sessions', {
  needs: 'support operator',
  fresh: true,
  returnsSecret: true,
  summary: 'Open a support session',
  description:
    'Opens the account of a person for 5 to 60 minutes: `read` to look at it, `full` to act within limits, which needs the level `admin`. The person is told by mail and can end it. Operators have no support sessions, nor have accounts that are not active. With ADMIN_APPROVALS, a full one answers 202 until another admin has approved it; the same call then opens it.',
  body: withReason({ mode: oneOf(MODES), minutes }, { mode: 'read', minutes: 30 }),
  returns: {
    201: begun,
    202: approvalRecord.meta({ ...approvalRecord.meta(), description: 'Another admin must approve first' }),
  },
  fails: ['notFound', 'duplicate'],
  audits: ['admin.support_session', 'admin.approval_request'],
  async handle(call) {
    const { config, db, tokens, now, caller, wakeNotices, request, reply, params, body } = call;
    const { mode, reason } = body;
    const operator = operatorOf(request);
    if (mode === 'full' && operator.level !== 'admin') throw new AppError('forbidden');
    const person = await findPerson(db, params.person_id);
    const { user_id } = person;

    const { pending, use } =
      mode === 'full'
        ? await requireApproval(call, {
            act: 'support_session.full',
            person_id: user_id,
            user_id,
            reason,
            operator,
          })
        : {};
    if (pending) {
      reply.code(202);
      return pending;
    }

    const began = use?.at.getTime() ?? now();
    const lifetime = Math.min(body.minutes * 60, tokens.lifetime.catalogue);
    const record = await store(db, {
      session_id: newSessionId(began, use?.id),
      person_id: user_id,
      operator: caller,
      mode,
      reason,
      began_at: new Date(began),
      expires_at: new Date((Math.floor(began / 1000) + lifetime) * 1000),
    });
    const { session_id, expires_at } = record;
    if (record.ended_at || expires_at.getTime() <= now())
      throw new AppError('duplicate', { text: 'The approved support session is over' });
    const details = { mode: record.mode, until: expires_at, reason: record.reason };
    const { matchedCount } = await db.users.updateOne(
      { _id: person._id, ...enterable(user_id) },
      withNotice({}, newNotice({ kind: 'support_session', to: person.email, at: now(), details })),
    );
    if (matchedCount === 0) {
      await db.supportSessions.deleteOne({ session_id });
      throw noAccount();
    }
    wakeNotices();
    await auditAdmin(call, 'admin.support_session', {
      target: { user_id, session_id },
      after: { mode: record.mode, expires_at: expires_at.toISOString() },
    });
    const token = tokens.supportSession(person, { mode: record.mode, operator: caller }, now(), {
      lifetime: Math.floor(expires_at.getTime() / 1000) - Math.floor(now() / 1000),
      sid: session_id,
    });
    const query = new URLSearchParams({ adminRedirect: 'true', token, user_id });
    return { session_id, expires_at: expires_at.toISOString(), link: `${config.PUBLIC_URL}/login?${query}` };
  },
});

const noAccount = () => new AppError('notFound', { text: 'No active account has this user_id' });

/** @throws {AppError} notFound, or forbidden if they are an operator, also the caller themselves. */
async function findPerson(db: Database, person_id: string): Promise<WithId<User> & { user_id: string }> {
  const [person, operator] = await Promise.all([
    db.users.findOne(enterable(person_id)),
    db.operators.findOne({ _id: person_id }),
  ]);
  if (operator) throw new AppError('forbidden', { text: 'Nobody enters the account of an operator' });
  if (!person) throw noAccount();
  return { ...person, user_id: person_id };
}

/** Stores the record; that of an approval may be there already. */
async function store(db: Database, record: SupportRecord): Promise<SupportRecord> {
  try {
    await db.supportSessions.insertOne({ ...record });
    return record;
  } catch (error) {
    if (!isDuplicateKey(error)) throw error;
    return (await db.supportSessions.findOne({ session_id: record.session_id })) ?? record;
  }
}
