import { logoutContracts } from '@gatehouse/shared/contract/sessions';
import { principalOf } from '@gatehouse/shared/identity/principal';
import { endSession, lastExpiry } from '@gatehouse/shared/identity/sessions';
import { operation } from './operation.ts';

/** Each path of the logout (CONTRACT.md §Sessions). */
export const logouts = logoutContracts.map((contract) =>
  operation(contract.line, {
    ...contract,
    async handle({ config, db, now, request, audit }) {
      const { user, session, expiresAt } = principalOf(request);
      const maxAge = config.SESSION_MAX_HOURS * 3_600_000;
      const until = lastExpiry(session, { expiresAt, maxAge, now: now() });
      await endSession(db.users, user._id, session, until, now());
      await audit('logout');
    },
  }),
);
