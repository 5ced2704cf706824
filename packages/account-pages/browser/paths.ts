/** The account pages: the path of each and the module of its view. The server and the browser read this table. */
const VIEWS = {
  '/': 'sign-in',
  '/login': 'sign-in',
  '/signup': 'sign-up',
  '/code': 'code',
  '/forgot': 'forgot',
  '/reset': 'reset',
  '/sso': 'sso',
  '/code-login': 'code-login',
  '/invitation': 'invitation',
  '/undo-email': 'undo-email',
  '/profile': 'profile',
  '/chatbots': 'chatbots',
  '/organization': 'organization',
  '/webhooks': 'webhooks',
} as const;

/** `support` has no path: it is shown while the session of a support link is checked. */
export type ViewName = (typeof VIEWS)[keyof typeof VIEWS] | 'support';

export const PATHS = Object.keys(VIEWS) as (keyof typeof VIEWS)[];

export const viewOf = (path: string): ViewName => VIEWS[path as keyof typeof VIEWS] ?? 'sign-in';

/** The views that show an account. */
export const NEEDS_SESSION: ReadonlySet<ViewName> = new Set([
  'profile',
  'chatbots',
  'organization',
  'webhooks',
]);
