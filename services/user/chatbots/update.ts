import { tenantOf } from '@gatehouse/shared/access/tenant';
import { jsonBody, oneOf } from '@gatehouse/shared/http/fields';
import { permittedChatbots } from '../access/chatbot-roles.ts';
import { operation } from '../operation.ts';
import { chatbotFields } from './contract.ts';
import { suffixesOf } from './name-search.ts';
import { CHATBOT_STATUSES, chatbotRecord } from './records.ts';

const changes = jsonBody({
  name: chatbotFields.name.exactOptional(),
  type: chatbotFields.type.exactOptional(),
  avatar_id: chatbotFields.avatar_id.exactOptional(),
  language: chatbotFields.language.exactOptional(),
  status: oneOf(CHATBOT_STATUSES).exactOptional(),
})
  .refine((fields) => Object.keys(fields).length > 0, {
    error: 'must contain name, type, avatar_id, language or status',
  })
  .meta({ examples: [{ name: 'Night porter', status: 'paused' }] });

export const updateChatbot = operation('PATCH /api/v1/chatbots/{chatbot_id}', {
  needs: 'edit chatbot',
  summary: 'Change a chatbot',
  description: 'Changes only the fields in the body.',
  body: changes,
  returns: chatbotRecord,
  audits: ['chatbot.update'],
  async handle({ db, now, request, params: { chatbot_id }, body, audit }) {
    const { filter, found } = await permittedChatbots(db, request);
    const changed = {
      ...body,
      ...(body.name !== undefined && { name_suffixes: suffixesOf(body.name) }),
      updated_at: new Date(now()).toISOString(),
    };
    const before = await found(
      await db.chatbots.findOneAndUpdate(
        { chatbot_id, ...filter },
        { $set: changed },
        { returnDocument: 'before' },
      ),
      chatbot_id,
    );
    const given = Object.keys(body) as (keyof typeof body)[];
    await audit('chatbot.update', {
      target: { chatbot_id },
      before: Object.fromEntries(given.map((field) => [field, before[field]])),
      after: body,
      ...tenantOf(before),
    });
    return { ...before, ...changed };
  },
});
