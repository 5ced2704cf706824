import { CHATBOT_TYPES } from '@gatehouse/shared/contract/chatbot-types';
import { collection } from '@gatehouse/shared/data/connect';
import { z } from 'zod';
import type { Grant } from '../access/access-list.ts';

export const CHATBOT_STATUSES = ['active', 'paused'] as const;

/** The public fields of a chatbot, stored as they are returned (CONTRACT.md §Chatbots). */
export const chatbotRecord = z
  .object({
    chatbot_id: z.string(),
    name: z.string(),
    type: z.enum(CHATBOT_TYPES),
    avatar_id: z.string(),
    language: z.string().meta({ description: 'BCP 47' }),
    status: z.enum(CHATBOT_STATUSES),
    owner_id: z.string(),
    organization_id: z.string().nullable(),
    department_id: z.string().nullable(),
    created_at: z.string().meta({ format: 'date-time' }),
    updated_at: z.string().meta({ format: 'date-time' }),
  })
  .meta({
    description: 'The chatbot',
    examples: [
      {
        chatbot_id: '01936f2e-7d3c-7a44-8c1e-5b0f3f6a9d21',
        name: 'Receptionist',
        type: '3d',
        avatar_id: 'avatar-7',
        language: 'en-GB',
        status: 'active',
        owner_id: 'User-483920',
        organization_id: null,
        department_id: null,
        created_at: '2026-01-15T09:30:00.000Z',
        updated_at: '2026-01-15T09:30:00.000Z',
      },
    ],
  });

export type Chatbot = z.infer<typeof chatbotRecord>;

/** The audited fields of a chatbot that is created or deleted. */
export const auditedChatbot = ({ name, type, avatar_id, language, status, owner_id }: Chatbot) => ({
  name,
  type,
  avatar_id,
  language,
  status,
  owner_id,
});

/** The place of a personal chatbot, which belongs to no department. */
export const PERSONAL = { organization_id: null, department_id: null };

/** A chatbot as it is stored, with the internal fields. */
export interface StoredChatbot extends Chatbot {
  /** The access list; absent until the first grant. */
  permissions?: Grant[];
  /** Counts the changes of the access list, for optimistic concurrency. */
  access_version?: number;
  /** The searchable form of the name; see name-search.ts. */
  name_suffixes?: string[];
}

/** Serve a page of a list without reading other chatbots: one for each owner, member and department and sort order. */
const PAGES = ['owner_id', 'permissions.user_id', 'organization_id'].flatMap((scope) =>
  ['created_at', 'updated_at', 'name'].map((order) => ({
    key: { [scope]: 1, department_id: 1, [order]: 1, chatbot_id: 1 } as const,
  })),
);

/** The chatbots of a place, in an order that no change of a chatbot moves. One of `PAGES`. */
export const BY_PLACE = { organization_id: 1, department_id: 1, created_at: 1, chatbot_id: 1 } as const;

export const chatbotCollections = {
  chatbots: collection<StoredChatbot>('chatbots', [
    { key: { chatbot_id: 1 }, unique: true },
    ...PAGES,
    { key: { organization_id: 1, department_id: 1, name_suffixes: 1 } },
    // Chatbots whose `chatbot.created` event has not been accepted yet.
    { key: { unannounced: 1 }, partialFilterExpression: { unannounced: true } },
  ]),
};
