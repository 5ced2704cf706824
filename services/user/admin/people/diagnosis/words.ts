import type { AuditEvent } from '@gatehouse/shared/identity/audit';

/** A time as operators read it. */
export const timeOf = (at: Date | number): string =>
  `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`;

const WAYS: Record<string, string> = { passkey: 'a passkey', code: 'a mailed code' };

/** How somebody tried to log in. */
export function wayOf({ action, after }: Pick<AuditEvent, 'action' | 'after'>): string {
  if (action === 'sso.login') return 'single sign-on';
  const way = String(after?.way ?? 'password');
  if (way === 'social') return after?.provider ? String(after.provider) : 'a provider';
  return WAYS[way] ?? 'the password';
}

/** One attempt in one sentence. */
export function attemptText(event: AuditEvent): string {
  const { at, address, outcome, after } = event;
  const from = address === null ? '' : ` from ${address}`;
  const detail = after?.detail ? ` (${String(after.detail)})` : '';
  return `${timeOf(at)}, with ${wayOf(event)}${from}: ${outcome}${detail}`;
}

/** A count of a bounded read. */
export const upTo = (count: number, max: number): string => (count >= max ? `${max} or more` : String(count));
