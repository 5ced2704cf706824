/** spec §Gateway catalogue contract, the prefix table, and organizations: each prefix and the name of what serves it. */
export const PREFIXES = {
  '/auth': 'login',
  '/api/v1/auth': 'login',
  '/api/v1/users': 'user',
  '/api/v1/organizations': 'user',
  '/api/v1/chatbots': 'CHATBOTS',
  // Of ours; the table has no prefix for it (spec §Events).
  '/api/v1/webhooks': 'user',
  '/api/v1/selection': 'SELECTION',
  '/api/v1/crawl': 'CRAWL',
  '/api/v1/state-3d': 'STATE_3D',
  '/api/v1/state-text': 'STATE_TEXT',
  '/api/v1/state-voice': 'STATE_VOICE',
  '/api/v1/prompts': 'PROMPTS',
  '/api/v1/maintenance': 'MAINTENANCE',
  '/api/v1/chat-3d': 'CHAT_3D',
  '/api/v1/chat-text': 'CHAT_TEXT',
  '/api/v1/chat-voice': 'CHAT_VOICE',
  '/api/v1/history': 'HISTORY',
  '/api/v1/analytics': 'ANALYTICS',
  '/api/v1/llm': 'LLM',
  '/api/v1/homepage': 'HOMEPAGE',
  '/api/v1/physio': 'PHYSIO',
  '/api/v1/payment': 'PAYMENT',
  '/api/v1/admin': 'ADMIN',
} as const;

export type Prefix = keyof typeof PREFIXES;
