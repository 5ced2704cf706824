import { BEARER_FAILURES, CHATBOT_TYPES, languageTag, line, oneOf } from '@gatehouse/shared/catalogue';
import { failures } from '@gatehouse/shared/errors';
import { z } from 'zod';

/** What the operations on chatbots have in common. */

export const MAX_NAME = 200;

/** What a caller says of a chatbot. */
export const described = {
  name: line(MAX_NAME),
  type: oneOf(CHATBOT_TYPES),
  avatar_id: line(200),
  language: languageTag,
};

export const directory = { tags: ['chatbots'], security: [{ bearer: [] }] };

export const chatbotId = z.object({ chatbot_id: z.string() });

/** What any operation on one chatbot may answer beside its success. */
export const oneRefused = failures('catalogue', 'invalidFormat', 'notFound', ...BEARER_FAILURES);
