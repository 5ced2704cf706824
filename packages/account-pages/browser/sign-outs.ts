/**
 * When accounts signed out in this browser. A tab that shows another site meanwhile learns of it on its way back; one
 * that is open learns at once.
 */
const KEY = 'gatehouse.signed-out';
/** Milliseconds that a sign-out is remembered: no token is valid for longer. */
const REMEMBERED_FOR = 3_600_000;

/** By `user_id`, in Unix milliseconds. */
type SignOuts = Record<string, number>;

function read(): SignOuts {
  try {
    return (JSON.parse(localStorage.getItem(KEY) ?? '{}') as SignOuts | null) ?? {};
  } catch {
    return {};
  }
}

export function noteSignOut(userId: string | null): void {
  const recent = Object.entries(read()).filter(([, at]) => at > Date.now() - REMEMBERED_FOR);
  localStorage.setItem(KEY, JSON.stringify({ ...Object.fromEntries(recent), [String(userId)]: Date.now() }));
}

/** When a session begins that no earlier sign-out ends, also if the clock of this device has been set back. */
export const timeAfterSignOut = (userId: string | null): number =>
  Math.max(Date.now(), (read()[String(userId)] ?? 0) + 1);

/** Whether the account has signed out since a session began. */
export const hasSignedOut = (userId: string | null, beganAt: number): boolean =>
  (read()[String(userId)] ?? -1) >= beganAt;

/** Calls a listener when an account signs out in another tab. */
export const onSignOutElsewhere = (listener: () => void): void =>
  addEventListener('storage', ({ key }) => key === KEY && listener());
