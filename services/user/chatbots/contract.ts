import { BEARER_FAILURES, failures } from '@gatehouse/shared/http/errors';
import { languageTag, line, oneOf } from '@gatehouse/shared/http/fields';
import { z } from 'zod';
import { CHATBOT_TYPES } from './records.ts';

/** Schema parts that the operations on chatbots share (CONTRACT.md §Chatbots). */

export const MAX_NAME = 200;

/** The fields of a chatbot that a caller sets. */
export const chatbotFields = {
  name: line(MAX_NAME),
  type: oneOf(CHATBOT_TYPES),
  avatar_id: line(200),
  language: languageTag,
};

export const tagged = { tags: ['chatbots'], security: [{ bearer: [] }] };

export const chatbotId = z.object({ chatbot_id: z.string() });

/** The failures of every operation on one chatbot. */
export const refusals = failures('catalogue', 'invalidFormat', 'notFound', ...BEARER_FAILURES);
