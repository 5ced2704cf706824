import { orNotFound } from '@gatehouse/shared/http/errors';
import { callerRoles } from '../../access/caller-roles.ts';
import { operation } from '../../operation.ts';
import { ownAccessRecord } from './contract.ts';
import { presentOwnAccess } from './present.ts';

export const ownAccess = operation('GET /api/v1/chatbots/{chatbot_id}/access/me', {
  needs: 'membership',
  // Services of the platform call it with the bearer of their caller.
  byKey: 'platform',
  summary: 'Read your role on a chatbot',
  description:
    'Returns the caller’s role and its permissions, for user interfaces and for platform services that hold the caller’s bearer token. In an archived department only the permissions to read are left.',
  returns: ownAccessRecord,
  async handle({ db, request, params: { chatbot_id } }) {
    const [roles, chatbot] = await Promise.all([
      callerRoles(db, request),
      db.chatbots.findOne({ chatbot_id }, { projection: { name_suffixes: 0 } }),
    ]);
    return presentOwnAccess(orNotFound(chatbot), request, roles);
  },
});
