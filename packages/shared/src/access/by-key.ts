import { isKeyPermission, type KeyPermission } from './key-permissions.ts';

/** What an operation declares about its callers. */
interface Declared {
  method: string;
  needs: string;
  fresh?: true;
  byKey?: KeyPermission | true;
}

/** Requirements that are no permissions. `own` and `ownership` are open to keys only where an operation says so. */
const BY_REQUIREMENT: Readonly<Record<string, KeyPermission>> = {
  session: 'platform',
  membership: 'view organizations',
  administration: 'manage webhooks',
};

/**
 * Returns the permission with which a key may call an operation; undefined if no key may (CONTRACT.md §Keys):
 * - operators' operations may say that keys read them with `view admin`, and change with `admin`, also in place of a
 *   fresh session;
 * - nothing else that asks for a fresh session is open to keys;
 * - otherwise the operation names the permission, or its requirement decides. A permission of the table is needed by the
 *   key as well as by the role; those about members are none that a key can have.
 */
export function keyPermissionOf({ method, needs, fresh, byKey }: Declared): KeyPermission | undefined {
  if (byKey === true) return method === 'GET' ? 'view admin' : 'admin';
  if (fresh) return undefined;
  return byKey ?? BY_REQUIREMENT[needs] ?? (isKeyPermission(needs) ? needs : undefined);
}

/** Whether permissions of a key suffice for what keyPermissionOf returns. */
export const suffices = (permissions: readonly KeyPermission[], needed: KeyPermission): boolean =>
  permissions.includes(needed) || (needed === 'view admin' && permissions.includes('admin'));
