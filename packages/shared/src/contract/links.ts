import { z } from 'zod';
import { contract } from '../operation/operation.ts';
import { message } from '../operation/responses.ts';

/** Served by the user service. */
export const unlinkContract = contract('DELETE /api/v1/users/me/links/{link_id}', {
  needs: 'own',
  fresh: true,
  endsSessions: true,
  summary: 'Remove a link to a provider',
  description:
    'The account at the provider no longer opens that of the caller, and every other session of the caller ends: one of them may have begun there. The last way into an account cannot be removed: 409 unless there is a password, a passkey, another link whose provider is offered, or single sign-on of an organization.',
  params: z.object({ link_id: z.string().meta({ description: 'From the list of links' }) }),
  returns: message('Link removed', 'The account at the provider no longer opens this one.'),
  fails: ['lastWayIn'],
  audits: ['link.remove'],
});
