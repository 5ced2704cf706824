import { NEEDS_SESSION, viewOf } from './paths.ts';

/** The page on which a sign-in at a provider began, or the one of the operators' console that asked for a sign-in. */
const KEY = 'gatehouse.return-page';

export const rememberPage = (): void => sessionStorage.setItem(KEY, location.pathname + location.search);

/** @returns the page to which a sign-in returns, once; undefined for one that shows no account. */
export function takePage(): string | undefined {
  const page = sessionStorage.getItem(KEY) ?? '';
  sessionStorage.removeItem(KEY);
  const path = page.split('?')[0] ?? '';
  return NEEDS_SESSION.has(viewOf(path)) || isConsole(path) ? page : undefined;
}

/** Whether a path is of the operators' console, which is a document of its own. */
export const isConsole = (path: string): boolean => /^\/admin(\/|$)/.test(path);
