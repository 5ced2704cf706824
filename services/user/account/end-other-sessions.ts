import { endOtherSessionsContract } from '@gatehouse/shared/contract/sessions';
import { AppError } from '@gatehouse/shared/http/errors';
import { callerId, principalOf } from '@gatehouse/shared/identity/principal';
import { endOtherSessions as endOthers } from '@gatehouse/shared/identity/sessions';
import { operation } from './operation.ts';

export const endOtherSessions = operation(endOtherSessionsContract.line, {
  ...endOtherSessionsContract,
  async handle({ db, now, request, audit }) {
    callerId(request); // an account without a user_id may only read and log out
    const { user, session } = principalOf(request);
    if (!(await endOthers(db.users, user._id, session, now()))) throw new AppError('invalidToken');
    await audit('session.end_others');
  },
});
