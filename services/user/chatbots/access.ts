import type { Chatbot } from '@gatehouse/shared/catalogue';
import { AppError } from '@gatehouse/shared/errors';
import type { Filter } from 'mongodb';

/**
 * Who may do what with a chatbot: the one place where roles decide. Today its owner may do everything, and
 * for everybody else it does not exist.
 */

/** What there is to do with a chatbot (spec §Role and permission records). */
export type ChatbotPermission = 'view' | 'edit' | 'duplicate' | 'delete';

/**
 * The filter of the chatbots with which a caller may do something. It stands in the filter of each read and
 * write itself, so that a right which is withdrawn meanwhile is gone. Asynchronous because roles are stored.
 */
export async function permitted(caller: string, _permission: ChatbotPermission): Promise<Filter<Chatbot>> {
  return { owner_id: caller };
}

/**
 * What an operation found among the permitted.
 * @throws {AppError} notFound: what one may not see does not exist.
 */
export function found<T>(chatbot: T | null): T {
  if (chatbot === null) throw new AppError('notFound');
  return chatbot;
}
