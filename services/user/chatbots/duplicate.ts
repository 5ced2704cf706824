import { randomUUIDv7 } from 'node:crypto';
import { tenantOf } from '@gatehouse/shared/access/tenant';
import { permittedChatbots, personalPlace, placeForNewChatbot } from '../access/chatbot-roles.ts';
import { operation } from '../operation.ts';
import { createAndAnnounce } from './announce.ts';
import { MAX_NAME } from './contract.ts';
import { suffixesOf } from './name-search.ts';
import { auditedChatbot, type Chatbot, chatbotRecord } from './records.ts';

const SUFFIX = ' (copy)';

export const duplicateChatbot = operation('POST /api/v1/chatbots/{chatbot_id}/duplicate', {
  needs: 'duplicate chatbot',
  summary: 'Duplicate a chatbot',
  description: `Creates a copy in the same department, where the caller also needs a role that creates chatbots. The caller is its Owner. Its name ends in "${SUFFIX}"; a long name is cut to make room.`,
  returns: { 201: chatbotRecord },
  audits: ['chatbot.duplicate'],
  async handle({ db, now, accept, request, caller, params: { chatbot_id }, audit }) {
    const { filter, found, roles } = await permittedChatbots(db, request);
    const original = await found(await db.chatbots.findOne({ chatbot_id, ...filter }), chatbot_id);
    const at = new Date(now()).toISOString();
    // Field by field: internal fields must not be copied.
    const copy: Chatbot = {
      chatbot_id: randomUUIDv7(),
      name: copiedName(original.name),
      type: original.type,
      avatar_id: original.avatar_id,
      language: original.language,
      status: original.status,
      owner_id: caller,
      ...(original.department_id
        ? placeForNewChatbot(request, roles, original.department_id)
        : personalPlace(request)),
      created_at: at,
      updated_at: at,
    };
    await createAndAnnounce({ db, accept }, { ...copy, name_suffixes: suffixesOf(copy.name) });
    await audit('chatbot.duplicate', {
      target: { chatbot_id: copy.chatbot_id },
      after: { ...auditedChatbot(copy), copy_of: chatbot_id },
      ...tenantOf(copy),
    });
    return copy;
  },
});

/** Appends the suffix; a name that would become too long is cut between two characters. */
const copiedName = (name: string): string =>
  [...name]
    .slice(0, MAX_NAME - SUFFIX.length)
    .join('')
    .trimEnd() + SUFFIX;
