/** The console of operators: the path of each page and the module of its view. The server and the browser read this table. */
const VIEWS = {
  '/admin': 'overview',
  '/admin/people': 'people',
  '/admin/organizations': 'organizations',
  '/admin/audit': 'audit',
  '/admin/webhooks': 'webhooks',
  '/admin/jobs': 'jobs',
  '/admin/settings-check': 'settings-check',
  '/admin/support-sessions': 'support-sessions',
  '/admin/approvals': 'approvals',
  '/admin/operators': 'operators',
} as const;

export type ConsoleView = (typeof VIEWS)[keyof typeof VIEWS];

export const CONSOLE_PATHS = Object.keys(VIEWS) as (keyof typeof VIEWS)[];

export const consoleViewOf = (path: string): ConsoleView => VIEWS[path as keyof typeof VIEWS] ?? 'overview';
