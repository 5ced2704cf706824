import { PERMISSIONS, type Permission } from './rbac.ts';

/** Permissions of the table that no key has: a key manages neither members nor their roles. */
const WITHHELD = ['add users', 'edit users', 'remove users', 'assign roles'] as const satisfies Permission[];

/** What keys of people may have besides, and whether a key of a service account may have it too. */
const OTHERS = {
  'view organizations': true,
  'view profile': false,
  'edit profile': false,
  'view audit': false,
  'manage webhooks': false,
  /** Calls that the platform's services serve. */
  platform: true,
  /** What operators read, at the level that the owner has at the time of each call. */
  'view admin': false,
  /** The same, and what operators change. */
  admin: false,
} as const;

export type KeyPermission = Exclude<Permission, (typeof WITHHELD)[number]> | keyof typeof OTHERS;

const isWithheld = (permission: Permission): permission is (typeof WITHHELD)[number] =>
  WITHHELD.some((each) => each === permission);

const ROLE_PERMISSIONS = PERMISSIONS.filter((permission) => !isWithheld(permission)) as KeyPermission[];
const others = Object.keys(OTHERS) as (keyof typeof OTHERS)[];

type Names = [KeyPermission, ...KeyPermission[]];

/** What a key of a person may be limited to (CONTRACT.md §Keys). */
export const KEY_PERMISSIONS = [...ROLE_PERMISSIONS, ...others] as Names;

/** The same for a service account, which has roles in departments and nothing of its own. */
export const SERVICE_ACCOUNT_PERMISSIONS = [
  ...ROLE_PERMISSIONS,
  ...others.filter((permission) => OTHERS[permission]),
] as Names;

export const isKeyPermission = (text: string): text is KeyPermission =>
  KEY_PERMISSIONS.some((permission) => permission === text);

/** Permissions that only operators give a key. */
export const OPERATOR_PERMISSIONS: readonly KeyPermission[] = ['view admin', 'admin'];
