import { randomUUIDv7 } from 'node:crypto';
import { tenantOf } from '@gatehouse/shared/access/tenant';
import { jsonBody, line } from '@gatehouse/shared/http/fields';
import { callerRoles } from '../access/caller-roles.ts';
import { personalPlace, placeForNewChatbot } from '../access/chatbot-roles.ts';
import { operation } from '../operation.ts';
import { createAndAnnounce } from './announce.ts';
import { chatbotFields } from './contract.ts';
import { suffixesOf } from './name-search.ts';
import { auditedChatbot, type Chatbot, chatbotRecord } from './records.ts';

export const createChatbot = operation('POST /api/v1/chatbots/create', {
  needs: 'create chatbot',
  summary: 'Create a chatbot',
  description:
    'The chatbot is active at once and the caller is its Owner. With a `department_id` it belongs to that department, where the caller needs a role that creates chatbots; without one it is a personal chatbot.',
  body: jsonBody({ ...chatbotFields, department_id: line(200).exactOptional() }).meta({
    examples: [{ name: 'Receptionist', type: '3d', avatar_id: 'avatar-7', language: 'en-GB' }],
  }),
  returns: { 201: chatbotRecord },
  fails: ['notFound'],
  audits: ['chatbot.create'],
  async handle({ db, now, accept, caller, request, body: { department_id, ...fields }, audit }) {
    const at = new Date(now()).toISOString();
    const chatbot: Chatbot = {
      chatbot_id: randomUUIDv7(),
      ...fields,
      status: 'active',
      owner_id: caller,
      ...(department_id
        ? placeForNewChatbot(request, await callerRoles(db, request), department_id)
        : personalPlace(request)),
      created_at: at,
      updated_at: at,
    };
    await createAndAnnounce({ db, accept }, { ...chatbot, name_suffixes: suffixesOf(chatbot.name) });
    await audit('chatbot.create', {
      target: { chatbot_id: chatbot.chatbot_id },
      after: auditedChatbot(chatbot),
      ...tenantOf(chatbot),
    });
    return chatbot;
  },
});
