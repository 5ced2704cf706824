import { z } from 'zod';
import { line } from '../http/fields.ts';
import { contract } from '../operation/operation.ts';
import { message } from '../operation/responses.ts';

/**
 * The operations that end sessions (CONTRACT.md §Sessions). The gateway knows them: it never refuses one for its
 * budget, waits for it even if the client disconnects, and forgets the session at once.
 */

const logout = {
  needs: 'own',
  endsSessions: true,
  ignoresIdempotencyKey: true,
  summary: 'End a session',
  description: 'Refuses every token of the session from now on.',
  returns: message('Logged out', 'The session has ended.'),
  audits: ['logout'],
} as const;

export const logoutContracts = [
  contract('POST /auth/logout', logout),
  contract('POST /api/v1/auth/logout', logout),
] as const;

export const endSessionContract = contract('DELETE /api/v1/users/me/sessions/{session_id}', {
  needs: 'own',
  endsSessions: true,
  summary: 'End one of your own sessions',
  description: 'Refuses every token of the session from now on. Ending the current session logs out.',
  params: z.object({ session_id: line(200) }),
  returns: message('Session ended', 'The session has ended.'),
  audits: ['logout', 'session.end'],
});

export const endOtherSessionsContract = contract('DELETE /api/v1/users/me/sessions', {
  needs: 'own',
  endsSessions: true,
  summary: 'End all your other sessions',
  description: 'Refuses every token of the caller’s other sessions from now on, listed or not.',
  returns: message('Other sessions ended', 'Only the current session continues.'),
  audits: ['session.end_others'],
});
