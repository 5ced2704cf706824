import { LOGIN_BODY } from '../http/body-limits.ts';
import { jsonBody, requiredText, typedCode } from '../http/fields.ts';
import { contract } from '../operation/operation.ts';
import { message } from '../operation/responses.ts';
import { catalogueToken } from './catalogue-login.ts';
import { newEmail, newPassword } from './direct.ts';

/**
 * The operations with which people change how they log in. The gateway knows those that end sessions: it waits
 * for them even if the client disconnects, and forgets the sessions at once.
 */

export const changePasswordContract = contract('POST /api/v1/users/me/password', {
  needs: 'own',
  fresh: true,
  endsSessions: true,
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

export const requestEmailContract = contract('POST /api/v1/users/me/email', {
  needs: 'own',
  fresh: true,
  summary: 'Ask for another e-mail address',
  description:
    'Mails a code to the new address, valid for 15 minutes, and a notice to the current one. A further call replaces the code. The answer does not tell whether the address has an account. Ten calls in an hour lead to 429.',
  body: jsonBody({ email: newEmail }).meta({ examples: [{ email: 'ada@analytical.example' }] }),
  returns: message('Code sent', 'A mail is on its way to the new address.'),
  fails: ['forbidden', 'rateLimited', 'unavailable'],
  audits: ['email.request'],
});

export const verifyEmailContract = contract('POST /api/v1/users/me/email/verify', {
  needs: 'own',
  fresh: true,
  endsSessions: true,
  returnsSecret: 'session',
  summary: 'Change your own e-mail address',
  description:
    'Changes the address with the code that was mailed to the new one, and ends every other session. Returns a token of the same session, because tokens hold the address: the one presented is refused from now on. Five wrong codes invalidate the code.',
  body: jsonBody({
    code: typedCode,
  }).meta({ examples: [{ code: '048213' }] }),
  returns: catalogueToken,
  fails: ['otpInvalidOrExpired', 'forbidden', 'duplicate', 'unavailable'],
  audits: ['email.change', 'invitation.accept'],
});

export const undoEmailContract = contract('POST /api/v1/users/email/undo', {
  needs: 'nothing',
  bodyLimit: LOGIN_BODY,
  summary: 'Undo the change of an e-mail address',
  description:
    'Sets the address of an account back to the one whose mailbox holds the link, within three days. Ends every session, and makes the password invalid: a new one is set with a code of forgot-password. Later changes are undone with it, and a second factor and passkeys that were added since the change end. A link works once.',
  body: jsonBody({ token: requiredText.meta({ description: 'From the link in the mail' }) }).meta({
    examples: [{ token: 'eyJhbGciOiJIUzI1NiIsInR5cCI6ImVtYWlsLXVuZG8rand0In0.…' }],
  }),
  returns: message('Address restored', 'The account has its former address again.'),
  fails: ['linkInvalid', 'forbidden', 'duplicate', 'rateLimited', 'unavailable'],
  audits: ['email.undo', 'factor.disable', 'passkey.remove', 'link.remove'],
});
