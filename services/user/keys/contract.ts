import { KEY_PERMISSIONS, type KeyPermission } from '@gatehouse/shared/access/key-permissions';
import { AppError } from '@gatehouse/shared/http/errors';
import { expecting, isoDateTime, jsonBody, line, oneOf, openEnum } from '@gatehouse/shared/http/fields';
import { networkOf } from '@gatehouse/shared/identity/machine-keys/networks';
import type { MachineKey } from '@gatehouse/shared/identity/machine-keys/records';
import { z } from 'zod';

/** Networks of one key. */
const MAX_NETWORKS = 20;

const dateTime = z.string().meta({ format: 'date-time' });

export const KEY_EXAMPLE = {
  key_id: '4fQ9xT2mZb7LrK0a',
  name: 'Nightly export',
  permissions: ['export data', 'view organizations'],
  networks: ['192.0.2.0/24'],
  expires_at: '2027-01-15T00:00:00.000Z',
  created_at: '2026-01-15T09:30:00.000Z',
  created_by: 'User-483920',
  last_used_at: null,
  rotated_at: null,
  overlap_until: null,
};

export const keyRecord = z
  .object({
    key_id: z.string().meta({ description: 'The part of the key between `gh_` and the second `_`' }),
    name: z.string(),
    permissions: z.array(openEnum(KEY_PERMISSIONS)),
    networks: z.array(z.string()).meta({ description: 'In CIDR notation; empty: the key works everywhere' }),
    expires_at: dateTime.nullable().meta({ description: 'Null: the key does not expire' }),
    created_at: dateTime,
    created_by: z.string().meta({ description: 'The user_id of whoever made it' }),
    last_used_at: dateTime.nullable().meta({ description: 'To the hour; null until the first use' }),
    rotated_at: dateTime.nullable(),
    overlap_until: dateTime
      .nullable()
      .meta({ description: 'Until when the secret before the last rotation works as well' }),
  })
  .meta({
    description: 'The machine key',
    examples: [KEY_EXAMPLE],
  });

/** A key with its secret, which is in no other answer. */
export const keyWithSecret = keyRecord
  .extend({ key: z.string().meta({ description: 'The key itself. It is not shown again.' }) })
  .meta({
    description: 'The machine key with its secret',
    examples: [{ ...KEY_EXAMPLE, key: `gh_${KEY_EXAMPLE.key_id}_…` }],
  });

const fieldsOf = (permissions: readonly [KeyPermission, ...KeyPermission[]]) => ({
  name: line(100),
  permissions: z
    .array(oneOf(permissions), expecting('must be a list of permissions'))
    .min(1, { error: 'must name a permission' })
    .max(permissions.length, { error: 'must name each permission once' }),
  networks: z
    .array(
      z
        .string(expecting('must be a network such as 192.0.2.0/24'))
        .max(60)
        .refine((text) => networkOf(text) !== undefined, {
          error: 'must be a network such as 192.0.2.0/24 or 2001:db8::/32',
        }),
      expecting('must be a list of networks'),
    )
    .max(MAX_NETWORKS, { error: `must name at most ${MAX_NETWORKS} networks` }),
  expires_at: isoDateTime.nullable(),
});

/** The fields that make a key, with those of the permissions that its owner's keys can have. */
export function newKeyFields(permissions: readonly [KeyPermission, ...KeyPermission[]]) {
  const { networks, expires_at, ...required } = fieldsOf(permissions);
  return { ...required, networks: networks.exactOptional(), expires_at: expires_at.exactOptional() };
}

/** The body that makes a key. */
export const newKeyBody = (permissions: readonly [KeyPermission, ...KeyPermission[]]) =>
  jsonBody(newKeyFields(permissions)).meta({
    examples: [{ name: 'Nightly export', permissions: ['export data'], networks: ['192.0.2.0/24'] }],
  });

/** The body that changes a key: the fields that it names. */
export function keyChanges(permissions: readonly [KeyPermission, ...KeyPermission[]]) {
  const { name, permissions: allowed, networks, expires_at } = fieldsOf(permissions);
  return jsonBody({
    name: name.exactOptional(),
    permissions: allowed.exactOptional(),
    networks: networks.exactOptional(),
    expires_at: expires_at.exactOptional(),
  }).meta({ examples: [{ networks: [], expires_at: null }] });
}

interface GivenFields {
  name?: string;
  permissions?: KeyPermission[];
  networks?: string[];
  expires_at?: string | null;
}

/**
 * The fields as they are stored.
 * @param now Unix milliseconds.
 * @throws {AppError} invalidFormat if the key would have expired already.
 */
export function storedFields(
  { name, permissions, networks, expires_at }: GivenFields,
  now: number,
): Partial<Pick<MachineKey, 'name' | 'permissions' | 'networks' | 'expires_at'>> {
  if (expires_at && Date.parse(expires_at) <= now)
    throw new AppError('invalidFormat', { text: 'expires_at must be in the future' });
  return {
    ...(name !== undefined && { name }),
    ...(permissions && { permissions: [...new Set(permissions)] }),
    ...(networks && { networks: [...new Set(networks.map((each) => networkOf(each) as string))] }),
    ...(expires_at !== undefined && { expires_at: expires_at === null ? null : new Date(expires_at) }),
  };
}

export const presentKey = (key: MachineKey): z.infer<typeof keyRecord> => ({
  key_id: key._id,
  name: key.name,
  permissions: key.permissions,
  networks: key.networks,
  expires_at: key.expires_at?.toISOString() ?? null,
  created_at: key.created_at.toISOString(),
  created_by: key.created_by,
  last_used_at: key.last_used_at?.toISOString() ?? null,
  rotated_at: key.rotated_at?.toISOString() ?? null,
  overlap_until: key.previous?.until.toISOString() ?? null,
});

/** The fields of a key that the audit shows. */
export const auditedKey = ({
  name,
  permissions,
  networks,
  expires_at,
}: Partial<Pick<MachineKey, 'name' | 'permissions' | 'networks' | 'expires_at'>>) => ({
  ...(name !== undefined && { name }),
  ...(permissions && { permissions }),
  ...(networks && { networks }),
  ...(expires_at !== undefined && { expires_at: expires_at?.toISOString() ?? null }),
});
