/**
 * Every prefix that the gateway forwards (CONTRACT.md §Prefixes), and what serves it: our login or user service, or
 * the platform service whose URL the setting holds.
 */
export const PREFIXES = {
  '/auth': 'login',
  '/api/v1/auth': 'login',
  '/api/v1/users': 'user',
  '/api/v1/pictures': 'user',
  '/api/v1/organizations': 'user',
  '/api/v1/invitations': 'user',
  '/api/v1/webhooks': 'user',
  '/api/v1/events': 'user',
  '/api/v1/sso': 'user',
  '/api/v1/auth/sso': 'user',
  '/saml': 'user',
  '/oauth': 'user',
  '/social': 'user',
  '/scim/v2': 'user',
  // The user service serves chatbots while this is unset.
  '/api/v1/chatbots': 'UPSTREAM_CHATBOTS',
  '/api/v1/selection': 'UPSTREAM_SELECTION',
  '/api/v1/crawl': 'UPSTREAM_CRAWL',
  '/api/v1/state-3d': 'UPSTREAM_STATE_3D',
  '/api/v1/state-text': 'UPSTREAM_STATE_TEXT',
  '/api/v1/state-voice': 'UPSTREAM_STATE_VOICE',
  '/api/v1/prompts': 'UPSTREAM_PROMPTS',
  '/api/v1/maintenance': 'UPSTREAM_MAINTENANCE',
  '/api/v1/chat-3d': 'UPSTREAM_CHAT_3D',
  '/api/v1/chat-text': 'UPSTREAM_CHAT_TEXT',
  '/api/v1/chat-voice': 'UPSTREAM_CHAT_VOICE',
  '/api/v1/history': 'UPSTREAM_HISTORY',
  '/api/v1/analytics': 'UPSTREAM_ANALYTICS',
  '/api/v1/llm': 'UPSTREAM_LLM',
  '/api/v1/homepage': 'UPSTREAM_HOMEPAGE',
  '/api/v1/physio': 'UPSTREAM_PHYSIO',
  '/api/v1/payment': 'UPSTREAM_PAYMENT',
  // The user service serves the admin API while this is unset.
  '/api/v1/admin': 'UPSTREAM_ADMIN',
} as const;

export type Prefix = keyof typeof PREFIXES;

/** Prefixes that need no bearer of a user: pictures, and where the user service checks messages, codes and tokens of another kind. */
export const PUBLIC_PREFIXES: ReadonlySet<Prefix> = new Set([
  '/api/v1/pictures',
  '/api/v1/auth/sso',
  '/saml',
  '/oauth',
  '/social',
  '/scim/v2',
]);

/** Prefixes that an account without a user_id may call: its session and profile. */
export const PREFIXES_WITHOUT_USER_ID: ReadonlySet<Prefix> = new Set([
  '/auth',
  '/api/v1/auth',
  '/api/v1/users',
]);

/** Prefixes that people visit with a browser, which shows failures as pages. */
export const BROWSER_PREFIXES: ReadonlySet<Prefix> = new Set(['/saml', '/oauth', '/social']);

export type UpstreamSetting = Extract<(typeof PREFIXES)[Prefix], `UPSTREAM_${string}`>;

export const UPSTREAM_SETTINGS = Object.values(PREFIXES).filter((servedBy): servedBy is UpstreamSetting =>
  servedBy.startsWith('UPSTREAM_'),
);
