import type { Config } from '@gatehouse/shared/config';
import {
  LEGACY_LOGIN,
  type LegacyVerdict,
  legacyLoginAnswer,
  legacyLoginBody,
} from '@gatehouse/shared/contract/legacy-login';
import { AppError } from '@gatehouse/shared/http/errors';
import { flowsOf } from '@gatehouse/shared/identity/fair-queue';
import type { Passwords } from '@gatehouse/shared/identity/passwords';
import type { Tokens } from '@gatehouse/shared/identity/tokens';
import { findUserByEmail } from '@gatehouse/shared/identity/users';
import { operationsOf } from '@gatehouse/shared/operation/operation';
import type { Database } from '../database.ts';
import { PersonProblem } from '../import/person.ts';
import { createAccount, UserIdTakenError } from './create-account.ts';
import type { OldSystem } from './old-system.ts';
import { isRetired } from './retired-addresses.ts';

interface LegacyDependencies {
  config: Config<'user'>;
  db: Database;
  passwords: Passwords;
  tokens: Tokens;
  oldSystem: OldSystem;
  /** Returns Unix milliseconds. */
  now: () => number;
}

const operation = operationsOf<LegacyDependencies>();

/** CONTRACT.md §Logins of an old system. The gateway does not forward this path. */
export const legacyLogin = operation(`POST ${LEGACY_LOGIN}`, {
  needs: 'nothing',
  summary: 'Ask the old system about a login',
  description:
    'For the login service: asks LEGACY_LOGIN_URL about an address without an account, and creates the account of a person whom it lets in.',
  body: legacyLoginBody,
  returns: legacyLoginAnswer.meta({
    description: 'Whether the address has an account now',
    examples: [{ verdict: 'moved' }],
  }),
  fails: ['invalidToken', 'unavailable'],
  audits: ['account.import', 'invitation.accept'],
  async handle({
    config,
    db,
    passwords,
    tokens,
    oldSystem,
    now,
    request,
    body,
  }): Promise<{ verdict: LegacyVerdict }> {
    const { email, password, token } = body;
    if (!tokens.isLegacyLogin(token, email, now())) throw new AppError('invalidToken');
    if (await findUserByEmail(db.users, email)) return { verdict: 'moved' };
    // Asked after the account: a deletion retires the address before it frees it.
    if (await isRetired(config, db.retiredAddresses, email)) return { verdict: 'unknown' };
    const person = await oldSystem.ask(request, { email, password });
    if (person === undefined) return { verdict: 'unavailable' };
    if (person === null) return { verdict: 'unknown' };
    const hash = await passwords.encode(password, 'argon2id', flowsOf(request, email));
    try {
      await createAccount({ config, db, request, email, password: hash, person, now });
    } catch (error) {
      if (!(error instanceof PersonProblem || error instanceof UserIdTakenError)) throw error;
      const reason = error.message || 'the user_id is taken';
      request.log.error({ reason }, 'a person of the old system cannot have an account');
      oldSystem.count('failed');
      return { verdict: 'unavailable' };
    }
    oldSystem.count('moved');
    return { verdict: 'moved' };
  },
});
