import { addOperations } from '@gatehouse/shared/http/add-operations';
import type { FastifyInstance } from 'fastify';
import type { Database } from '../database.ts';
import type { Accept } from '../webhooks/intake/accept.ts';
import { grantAccess } from './access-list/grant.ts';
import { listAccess } from './access-list/list.ts';
import { ownAccess } from './access-list/own.ts';
import { revokeAccess } from './access-list/revoke.ts';
import { createChatbot } from './create.ts';
import { deleteChatbot } from './delete.ts';
import { duplicateChatbot } from './duplicate.ts';
import { getChatbot } from './get.ts';
import { listChatbots } from './list.ts';
import { moveChatbot } from './move.ts';
import { updateChatbot } from './update.ts';

/** The routes under /api/v1/chatbots; register behind `requirePrincipal`. */
export async function chatbots(
  app: FastifyInstance,
  options: { db: Database; now: () => number; accept: Accept },
): Promise<void> {
  const operations = [
    createChatbot,
    listChatbots,
    getChatbot,
    updateChatbot,
    deleteChatbot,
    duplicateChatbot,
    moveChatbot,
    listAccess,
    ownAccess,
    grantAccess,
    revokeAccess,
  ];
  await addOperations(app, operations, options);
}
