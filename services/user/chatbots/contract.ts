import { CHATBOT_TYPES } from '@gatehouse/shared/contract/chatbot-types';
import { languageTag, line, oneOf } from '@gatehouse/shared/http/fields';

export const MAX_NAME = 200;

/** The fields of a chatbot that a caller sets (CONTRACT.md §Chatbots). */
export const chatbotFields = {
  name: line(MAX_NAME),
  type: oneOf(CHATBOT_TYPES),
  avatar_id: line(200),
  language: languageTag,
};
