/** A way to sign in: a method, or the name of a provider. */
type Way = 'password' | 'passkey' | 'code' | 'sso' | (string & {});

/** The way that this device last used, which outlives sessions. It names no person. */
const LAST = 'gatehouse.last-way';
/** The way that has begun in this tab. It may lead through the pages of a provider. */
const BEGUN = 'gatehouse.begun-way';

export const beginWay = (way: Way): void => sessionStorage.setItem(BEGUN, way);

/** Remembers the way that has begun, once it has led to a session. */
export function rememberWay(): void {
  const way = sessionStorage.getItem(BEGUN);
  if (way !== null) localStorage.setItem(LAST, way);
}

export function lastWay(): Way | undefined {
  try {
    return localStorage.getItem(LAST) ?? undefined;
  } catch {
    return undefined; // the browser keeps nothing for this site
  }
}
