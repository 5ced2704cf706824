import { catalogueTokenOf } from '@gatehouse/shared/contract/catalogue-login';
import { refreshContracts } from '@gatehouse/shared/contract/sessions';
import { AppError } from '@gatehouse/shared/http/errors';
import { auditedSession } from '@gatehouse/shared/identity/audit';
import { principalOf } from '@gatehouse/shared/identity/principal';
import { newSessionId } from '@gatehouse/shared/identity/tokens';
import { userIdOf } from '@gatehouse/shared/identity/users';
import { checkSession } from './check-session.ts';
import { operation } from './operation.ts';

/** Each path of the refresh (CONTRACT.md §Sessions). */
export const refreshes = refreshContracts.map((contract) =>
  operation(contract.line, {
    ...contract,
    async handle({ config, tokens, now, request, audit }) {
      const { user, session, confirmedAt } = principalOf(request);
      const lastExp = Math.floor(session.beganAt / 1000 + config.SESSION_MAX_HOURS * 3600);
      const left = (until: number) => Math.min(tokens.lifetime.catalogue, until - Math.floor(now() / 1000));
      if (left(lastExp) <= 0) throw new AppError('tokenExpired');
      const check = session.sso && (await checkSession(config, request));
      const lifetime = left(Math.min(lastExp, check?.until ?? lastExp));
      if (lifetime <= 0) throw new AppError('tokenExpired');
      const user_id = userIdOf(user);
      // Keep the start time: whatever ends the old session must also end the new one.
      const sid = session.hasId ? session.id : newSessionId(Math.min(session.beganAt, now()));
      await audit('refresh', {
        session: auditedSession(request, sid, lifetime, now()),
        ...(check?.grace && {
          organization_id: check.organization_id,
          target: { connection_id: check.connection_id },
          after: { grace: 'provider unavailable' },
        }),
      });
      const { sso = false, mfa = false } = session;
      const token = tokens.session({ email: user.email, user_id }, now(), {
        lifetime,
        sid,
        sso,
        mfa,
        // The sid holds the time of the login.
        ...(confirmedAt !== session.beganAt && { confirmedAt }),
      });
      return catalogueTokenOf({ token, lifetime, user_id });
    },
  }),
);
