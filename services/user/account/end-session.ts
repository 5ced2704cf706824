import { endSessionContract } from '@gatehouse/shared/contract/sessions';
import { AppError } from '@gatehouse/shared/http/errors';
import { principalOf } from '@gatehouse/shared/identity/principal';
import { endSession as end, lastExpiry } from '@gatehouse/shared/identity/sessions';
import { operation } from './operation.ts';
import { liveSessions } from './sessions-live.ts';

export const endSession = operation(endSessionContract.line, {
  ...endSessionContract,
  async handle({ config, db, now, request, caller, params: { session_id }, audit }) {
    const [found] = await liveSessions(db, request, caller, now(), session_id);
    if (!found) throw new AppError('notFound');
    const { user, expiresAt } = principalOf(request);
    const maxAge = config.SESSION_MAX_HOURS * 3_600_000;
    const until = lastExpiry(found.session, { expiresAt, maxAge, now: now() });
    await end(db.users, user._id, found.session, until, now());
    await (found.isCurrent ? audit('logout') : audit('session.end', { target: { session_id } }));
  },
});
