import type { KeyPermission } from '@gatehouse/shared/access/key-permissions';
import { ApiError, get, patch, post, remove } from '../../gate.ts';
import { texts } from '../../key-texts.ts';

/** The calls of the pages for machine keys. `path` is that of the keys of a person or of a service account. */

export interface MachineKey {
  key_id: string;
  name: string;
  permissions: KeyPermission[];
  /** In CIDR notation; empty: the key works everywhere. */
  networks: string[];
  expires_at: string | null;
  /** To the hour. */
  last_used_at: string | null;
  /** Until when the secret before the last rotation works as well. */
  overlap_until: string | null;
}

export type KeyFields = Pick<MachineKey, 'name' | 'permissions' | 'networks' | 'expires_at'>;

const keyPath = (path: string, { key_id }: MachineKey) => `${path}/${encodeURIComponent(key_id)}`;

export const listKeys = (path: string) => get<{ keys: MachineKey[] }>(path);
export const createKey = (path: string, fields: KeyFields) =>
  explained(post<MachineKey & { key: string }>(path, fields));
export const updateKey = (path: string, key: MachineKey, changes: Partial<KeyFields>) =>
  explained(patch<MachineKey>(keyPath(path, key), changes));
/** @param overlap_days for which the former secret works as well. */
export const rotateKey = (path: string, key: MachineKey, overlap_days: number) =>
  post<MachineKey & { key: string }>(`${keyPath(path, key)}/rotate`, { overlap_days });
export const deleteKey = (path: string, key: MachineKey) => remove(keyPath(path, key));

/** Says of a network what is wrong with it. */
const explained = <T>(call: Promise<T>): Promise<T> =>
  call.catch((error) => {
    const isNetwork = error instanceof ApiError && error.field === 'networks';
    throw isNetwork ? new ApiError(texts.keys.badNetwork, { ...error, field: 'networks' }) : error;
  });
