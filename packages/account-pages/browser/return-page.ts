import { NEEDS_SESSION, viewOf } from './paths.ts';

/** The page on which a sign-in at a provider began. */
const KEY = 'gatehouse.return-page';

export const rememberPage = (): void => sessionStorage.setItem(KEY, location.pathname + location.search);

/** @returns the page to which a sign-in at a provider returns, once; undefined for one that shows no account. */
export function takePage(): string | undefined {
  const page = sessionStorage.getItem(KEY) ?? '';
  sessionStorage.removeItem(KEY);
  return NEEDS_SESSION.has(viewOf(page.split('?')[0] ?? '')) ? page : undefined;
}
