import type { Entry } from 'ldapts';

/** Whether the value of an attribute means that the account is locked, disabled or expired. */
const LOCKS: Record<string, (value: string, now: number) => boolean> = {
  // Active Directory: ACCOUNTDISABLE, and the lockout that it computes.
  userAccountControl: (value) => (Number(value) & 0x2) !== 0,
  'msDS-User-Account-Control-Computed': (value) => (Number(value) & 0x10) !== 0,
  // 100 ns since 1601; 0 and the greatest number mean never.
  accountExpires: (value, now) => {
    const ticks = Number(value);
    return ticks > 0 && ticks < 9e18 && ticks / 10_000 - 11_644_473_600_000 <= now;
  },
  // The password policy of OpenLDAP, 389 Directory Server, eDirectory.
  pwdAccountLockedTime: (value) => value !== '',
  nsAccountLock: (value) => value.toLowerCase() === 'true',
  loginDisabled: (value) => value.toLowerCase() === 'true',
};

export const LOCK_ATTRIBUTES: readonly string[] = Object.keys(LOCKS);

/** Returns the attribute by which a directory says that a person may not log in; undefined if none says so. */
export function lockOf(entry: Entry, now: number): string | undefined {
  const values = new Map(Object.entries(entry).map(([name, value]) => [name.toLowerCase(), value]));
  return LOCK_ATTRIBUTES.find((name) =>
    [values.get(name.toLowerCase()) ?? []].flat().some((value) => LOCKS[name]?.(String(value), now)),
  );
}
