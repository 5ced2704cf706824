import { z } from 'zod';
import { line } from '../http/fields.ts';
import { contract } from '../operation/operation.ts';
import { message } from '../operation/responses.ts';
import { catalogueToken } from './catalogue-login.ts';

const refresh = {
  needs: 'own',
  returnsSecret: 'session',
  summary: 'Extend a session',
  description:
    'Returns a token of the same session that is valid for one hour, or until the session reaches its maximum age. A session that began at an identity provider continues if the provider agrees.',
  returns: catalogueToken,
  audits: ['refresh'],
} as const;

export const refreshContracts = [
  contract('POST /auth/refresh', refresh),
  contract('POST /api/v1/auth/refresh', refresh),
] as const;

/**
 * The operations with which people log out, end sessions and delete their account (CONTRACT.md §Sessions). The gateway
 * knows them: it never refuses one for its budget, waits for it even if the client disconnects, and forgets the session
 * at once.
 */

const logout = {
  needs: 'own',
  supportSession: 'allowed',
  endsSessions: true,
  passesBudget: true,
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
  passesBudget: true,
  summary: 'End one of your own sessions',
  description: 'Refuses every token of the session from now on. Ending the current session logs out.',
  params: z.object({ session_id: line(200) }),
  returns: message('Session ended', 'The session has ended.'),
  audits: ['logout', 'session.end'],
});

export const deleteAccountContract = contract('DELETE /api/v1/users/me', {
  needs: 'own',
  fresh: true,
  endsSessions: true,
  passesBudget: true,
  summary: 'Delete your own account',
  description:
    'Asks for the deletion of the account and ends all its sessions. Until `due_at` any login restores it; then a job deletes it for good, with what only it owned. It is 409 while the caller is the last Owner who can act of an organization that is not archived; `details` lists them. Departments are no obstacle. Accounts whose deletion is pending do not count as others. Ten requests in an hour lead to 429.',
  returns: {
    202: z
      .object({
        requested_at: z.string().meta({ format: 'date-time' }),
        due_at: z.string().meta({ format: 'date-time', description: 'When the deletion begins' }),
      })
      .meta({
        description: 'The deletion is pending',
        examples: [{ requested_at: '2026-01-15T09:30:00.000Z', due_at: '2026-01-29T09:30:00.000Z' }],
      }),
  },
  fails: ['lastOwner', 'rateLimited'],
  audits: ['account.delete_requested'],
});

export const endOtherSessionsContract = contract('DELETE /api/v1/users/me/sessions', {
  needs: 'own',
  endsSessions: true,
  passesBudget: true,
  summary: 'End all your other sessions',
  description: 'Refuses every token of the caller’s other sessions from now on, listed or not.',
  returns: message('Other sessions ended', 'Only the current session continues.'),
  audits: ['session.end_others'],
});
