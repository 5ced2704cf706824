import { BEARER_FAILURES, failures } from '@gatehouse/shared/http/errors';
import { languageTag, line, oneOf } from '@gatehouse/shared/http/fields';
import { z } from 'zod';
import { CHATBOT_TYPES } from './records.ts';

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
