import { jsonBody } from '../http/fields.ts';
import { contract } from '../operation/operation.ts';
import { message } from '../operation/responses.ts';
import { newPassword } from './direct.ts';

/**
 * The operations with which people change how they log in. The gateway knows them: it forgets the sessions of the caller
 * at once.
 */

export const changePasswordContract = contract('POST /api/v1/users/me/password', {
  needs: 'own',
  fresh: true,
  summary: 'Change your own password',
  description:
    'Replaces the password and ends every other session. An account that logs in at a provider only sets its first password here. Ten changes in an hour lead to 429.',
  body: jsonBody({ new_password: newPassword }).meta({
    examples: [{ new_password: 'correct horse battery staple' }],
  }),
  returns: message('Password changed', 'The new password is valid, and only the current session continues.'),
  fails: ['ssoRequired', 'duplicate', 'rateLimited', 'unavailable'],
  audits: ['password.change'],
});
