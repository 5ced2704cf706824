import { tenantOf } from '@gatehouse/shared/access/tenant';
import { optimistic } from '@gatehouse/shared/durable/optimistic';
import { orNotFound } from '@gatehouse/shared/http/errors';
import { expecting, jsonBody } from '@gatehouse/shared/http/fields';
import { auditAll } from '@gatehouse/shared/identity/audit';
import { z } from 'zod';
import { permittedChatbots, personalPlace, placeForNewChatbot } from '../access/chatbot-roles.ts';
import { operation } from '../operation.ts';
import { listedOn, membersAmong, moveWrite, revokeRemovedMeanwhile } from './move-write.ts';
import { type Chatbot, chatbotRecord } from './records.ts';

export const moveChatbot = operation('POST /api/v1/chatbots/{chatbot_id}/move', {
  needs: 'delete chatbot',
  summary: 'Move a chatbot',
  description:
    'Moves the chatbot to another department, where the caller also needs a role that creates chatbots, or with null to the caller’s personal chatbots. Access-list entries of members of the target stay. The owner stays if they are a member there; otherwise the caller becomes the owner.',
  body: jsonBody({
    department_id: z
      .string(expecting('must be a string or null'))
      .max(200, { error: 'must be at most 200 characters' })
      .nullable(),
  }).meta({
    examples: [{ department_id: '01936f2f-02b1-7c1f-9a77-3f1d3c0e8b52' }, { department_id: null }],
  }),
  returns: chatbotRecord,
  audits: ['chatbot.move'],
  async handle({ db, now, request, caller: heir, params: { chatbot_id }, body: { department_id } }) {
    // Optimistic concurrency: if the list or the place has changed, decide again.
    return optimistic(async () => {
      const permitted = await permittedChatbots(db, request);
      const readable = await db.chatbots.findOne(
        { chatbot_id, ...permitted.filter },
        { projection: { name_suffixes: 0 } },
      );
      const before = await permitted.found(readable, chatbot_id);
      const place =
        department_id === null
          ? personalPlace(request)
          : placeForNewChatbot(request, permitted.roles, department_id);
      if (before.department_id === department_id) return before;
      const members = await membersAmong(db, place, listedOn(before));
      const at = new Date(now()).toISOString();
      const { filter, update } = moveWrite(before, place, { members, heir, at });
      const moved = await db.chatbots.findOneAndUpdate(filter, update, { returnDocument: 'after' });
      if (!moved) return undefined;
      await revokeRemovedMeanwhile(db, place, listedOn(moved));
      await auditAll(db, request, now(), auditedMove(before, moved));
      return orNotFound(await db.chatbots.findOne({ chatbot_id }));
    });
  },
});

/** The events of a move. Each organization that the chatbot leaves or enters has one, and learns nothing of the other. */
function auditedMove(before: Chatbot, after: Chatbot) {
  const sides = [before, after].map(({ department_id, owner_id }) => ({ department_id, owner_id }));
  const [from = null, to = null] = sides;
  const move = { action: 'chatbot.move' as const, target: { chatbot_id: after.chatbot_id } };
  const crosses =
    before.organization_id !== null &&
    after.organization_id !== null &&
    before.organization_id !== after.organization_id;
  if (crosses)
    return [
      { ...move, ...tenantOf(before), before: from, after: { department_id: null } },
      { ...move, ...tenantOf(after), before: { department_id: null }, after: to },
    ];
  const place = tenantOf(after.organization_id === null ? before : after);
  return [{ ...move, ...place, before: from, after: to }];
}
