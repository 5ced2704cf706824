import type { ObjectId } from 'mongodb';
import type { KeyPermission } from '../../access/key-permissions.ts';
import type { Role } from '../../access/rbac.ts';
import { collection } from '../../data/connect.ts';

/** A key with which a machine calls in the place of its owner, limited to its permissions (CONTRACT.md §Keys). */
export interface MachineKey {
  /** The id in the key. */
  _id: string;
  owner: KeyOwner;
  /** Which of the owner's keys it is. It bounds how many there are. */
  slot: number;
  name: string;
  /** The SHA-256 of the secret. */
  hash: string;
  /** The secret before the latest rotation, which is accepted until then. */
  previous?: { hash: string; until: Date };
  permissions: KeyPermission[];
  /** Networks in CIDR notation from which the key is accepted; empty for all. */
  networks: string[];
  /** Null if the key does not expire. */
  expires_at: Date | null;
  created_at: Date;
  /** The user_id of whoever made it. */
  created_by: string;
  rotated_at?: Date;
  /** To the hour. */
  last_used_at?: Date;
}

/** The `_id` of an account, or a service account. */
export type KeyOwner = ObjectId | string;

/** Keys of one owner. */
export const MAX_KEYS = 20;
/** Service accounts of one organization. */
export const MAX_SERVICE_ACCOUNTS = 20;

/**
 * A machine of an organization. It has roles in departments and is no person: nothing lists it among members, it has no
 * address, no session and no way to log in, and it is never an Owner.
 */
export interface ServiceAccount {
  /** Stands in the place of a user_id: no account has such an id. */
  service_account_id: string;
  organization_id: string;
  /** Which of the organization's service accounts it is. */
  slot: number;
  name: string;
  roles: ServiceRole[];
  created_at: Date;
  created_by: string;
  /** Its deletion has begun: its keys open nothing any more and are being deleted. */
  deleting?: true;
}

export interface ServiceRole {
  department_id: string;
  role: Exclude<Role, 'Owner'>;
}

export const machineKeyCollections = {
  machineKeys: collection<MachineKey>('machine_keys', [{ key: { owner: 1, slot: 1 }, unique: true }]),
  serviceAccounts: collection<ServiceAccount>('service_accounts', [
    { key: { service_account_id: 1 }, unique: true },
    { key: { organization_id: 1, slot: 1 }, unique: true },
    { key: { deleting: 1 }, sparse: true },
  ]),
};
