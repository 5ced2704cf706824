import type { Role } from '@gatehouse/shared/access/rbac';
import { get, patch, post, put, remove } from '../../gate.ts';
import type { Page } from '../../parts/pager.ts';
import type { PersonRecord } from '../../parts/person.ts';

export const TYPES = ['3d', 'text', 'voice'] as const;
export const STATUSES = ['active', 'paused'] as const;

export interface Chatbot {
  chatbot_id: string;
  name: string;
  type: (typeof TYPES)[number];
  avatar_id: string;
  language: string;
  status: (typeof STATUSES)[number];
  owner_id: string;
  department_id: string | null;
  organization_id: string | null;
  created_at: string;
  updated_at: string;
}

/** A role that somebody has been granted on a chatbot. */
export interface Grant extends PersonRecord {
  role: Role;
  granted_by: string;
  granted_at: string;
}

/** The reader's role on a chatbot. */
export interface OwnAccess {
  user_id: string;
  role: Role;
  permissions: string[];
  /** Who may use the chatbot; null for readers who may not see it. */
  list: Grant[] | null;
}

export type ChatbotFields = Pick<Chatbot, 'name' | 'type' | 'avatar_id' | 'language'>;

const path = (id: string, part = '') => `/api/v1/chatbots/${encodeURIComponent(id)}${part}`;
const entry = (id: string, user: string) => path(id, `/access/${encodeURIComponent(user)}`);

export const listChatbots = (query: string) => get<Page<Chatbot>>(`/api/v1/chatbots?${query}`);
export const getChatbot = (id: string) => get<Chatbot & { access: OwnAccess }>(path(id, '?include=access'));
export const createChatbot = (fields: ChatbotFields & { department_id?: string }) =>
  post<Chatbot>('/api/v1/chatbots/create', fields);
export const updateChatbot = (id: string, changes: Partial<ChatbotFields & Pick<Chatbot, 'status'>>) =>
  patch<Chatbot>(path(id), changes);
export const duplicateChatbot = (id: string) => post<Chatbot>(path(id, '/duplicate'));
/** @param department_id null for a personal chatbot of the reader. */
export const moveChatbot = (id: string, department_id: string | null) =>
  post<Chatbot>(path(id, '/move'), { department_id });
export const deleteChatbot = (id: string) => remove(path(id));
export const grantAccess = (id: string, user: string, role: Role) => put<Grant>(entry(id, user), { role });
export const revokeAccess = (id: string, user: string) => remove(entry(id, user));
