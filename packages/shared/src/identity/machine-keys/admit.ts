import type { FastifyRequest } from 'fastify';
import type { Collection } from 'mongodb';
import { keyPermissionOf, suffices } from '../../access/by-key.ts';
import type { KeyPermission } from '../../access/key-permissions.ts';
import type { Permission } from '../../access/rbac.ts';
import { AppError } from '../../http/errors.ts';
import type { Principal } from '../caller.ts';
import { isWithin } from './networks.ts';
import type { MachineKey } from './records.ts';

/** Milliseconds. */
const HOUR = 3_600_000;

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * What a key needs on a route that is no operation: a permission, or `service` where the service behind the gateway
     * knows the operation. Without it the route refuses keys.
     */
    byKey?: KeyPermission | 'service';
  }
}

/** @throws {AppError} forbidden from a network that the key does not allow. */
export function requireNetwork({ key }: Principal, { ip }: Pick<FastifyRequest, 'ip'>): void {
  if (key && key.networks.length > 0 && !isWithin(ip, key.networks))
    throw new AppError('forbidden', { text: 'This key is not allowed from this network' });
}

/**
 * Requires that a key may make this call at all: only what is declared open to keys, and only with the permission. What its
 * owner may do is checked later, as for every caller.
 * @throws {AppError} forbidden
 */
export function requireKeyPermission(request: FastifyRequest, { key }: Principal): void {
  if (!key || request.is404) return;
  const { operation, byKey } = request.routeOptions.config ?? {};
  const needed = operation ? keyPermissionOf(operation) : byKey;
  if (needed === 'service') return;
  if (needed === undefined) throw new AppError('forbidden', { text: 'A key cannot make this call' });
  if (!suffices(key.permissions, needed))
    throw new AppError('forbidden', { text: `This key lacks the permission "${needed}"` });
}

/**
 * What a service checks of each request by a key, before its own checks.
 * @param now Unix milliseconds.
 * @throws {AppError} forbidden
 */
export async function admitKey(
  machineKeys: Collection<MachineKey>,
  request: FastifyRequest,
  principal: Principal,
  now: number,
): Promise<void> {
  requireNetwork(principal, request);
  requireKeyPermission(request, principal);
  await noteUse(machineKeys, principal, now);
}

/** Whether the caller's key, if they use one, has a permission that a call needs besides the one of its operation. */
export const keyAllows = ({ principal }: FastifyRequest, permission: Permission | KeyPermission): boolean =>
  !principal?.key || principal.key.permissions.some((each) => each === permission);

/**
 * Notes that a key was used, once in an hour. It is only information for its owner, so a failure refuses nothing.
 * @param now Unix milliseconds.
 */
export async function noteUse(
  machineKeys: Collection<MachineKey>,
  { key }: Principal,
  now: number,
): Promise<void> {
  const hour = new Date(now - (now % HOUR));
  if (!key || (key.last_used_at && key.last_used_at >= hour)) return;
  // Requests that share the principal write once.
  key.last_used_at = hour;
  await machineKeys.updateOne({ _id: key._id }, { $max: { last_used_at: hour } }).catch(() => {});
}
