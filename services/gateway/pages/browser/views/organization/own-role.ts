import type { Role } from '@gatehouse/shared/access/rbac';
import { ApiError } from '../../api.ts';
import { ownId } from '../../me.ts';
import { getMember, listOwners, type Place } from './calls.ts';

/** Returns null in place of a refusal. */
async function unlessRefused<T>(call: Promise<T>): Promise<T | null> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof ApiError && (error.status === 403 || error.status === 404)) return null;
    throw error;
  }
}

export interface OwnStanding {
  id: string;
  isOwner: boolean;
  /** Whether the reader may see who the Owners are. */
  seesOwners: boolean;
}

/** Returns the reader's standing in an organization. */
export async function ownStanding(organization_id: string): Promise<OwnStanding> {
  const [id, list] = await Promise.all([ownId(), unlessRefused(listOwners(organization_id))]);
  return {
    id,
    isOwner: list?.owners.some(({ user_id }) => user_id === id) ?? false,
    seesOwners: list !== null,
  };
}

/** Returns the reader's role in a department; null if there is none any more. */
export async function ownRole(place: Place, { id, isOwner }: OwnStanding): Promise<Role | null> {
  if (isOwner) return 'Owner';
  return (await unlessRefused(getMember(place, id)))?.role ?? null;
}
