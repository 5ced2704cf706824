import { grantAccess } from './access-list/grant.ts';
import { listAccess } from './access-list/list.ts';
import { ownAccess } from './access-list/my-role.ts';
import { revokeAccess } from './access-list/revoke.ts';
import { createChatbot } from './create.ts';
import { deleteChatbot } from './delete.ts';
import { duplicateChatbot } from './duplicate.ts';
import { getChatbot } from './get.ts';
import { listChatbots } from './list.ts';
import { moveChatbot } from './move.ts';
import { updateChatbot } from './update.ts';

/** The operations under /api/v1/chatbots. */
export const chatbots = [
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
