import { randomBytes } from 'node:crypto';
import { canonical, digestOf } from './canonical.ts';

/**
 * What the chain says about an event. The deletion of an account erases personal fields and their salt, and nothing else
 * changes an event but an address that turns out to belong to an account (account/own-attempts.ts of the user service).
 */

/** The personal fields, by whose deletion erases them. */
export const PERSONAL_PARTS = ['actor', 'target', 'change'] as const;
export type PersonalPart = (typeof PERSONAL_PARTS)[number];

export type Salts = Partial<Record<PersonalPart, string>>;

/** Salted digests; null for a part that was empty. Without the salt, nobody can guess an erased part from it. */
export type Commitments = Record<PersonalPart, string | null>;

interface Event {
  email: string | null;
  address: string | null;
  session?: object;
  target: { email?: string };
  before: object | null;
  after: object | null;
  salts?: Salts;
}

const partsOf = ({
  email,
  address,
  session,
  target,
  before,
  after,
}: Event): Record<PersonalPart, unknown[]> => ({
  actor: [email, address, session],
  target: [target.email],
  change: [before, after],
});

const isEmpty = (values: unknown[]): boolean =>
  values.every((value) => value === null || value === undefined);

/** The personal parts of an event that hold something. */
export function filledParts(event: Event): PersonalPart[] {
  const parts = partsOf(event);
  return PERSONAL_PARTS.filter((part) => !isEmpty(parts[part]));
}

/** A random salt for each personal part that is not empty. */
export const newSalts = (event: Event): Salts =>
  Object.fromEntries(filledParts(event).map((part) => [part, randomBytes(16).toString('base64url')]));

/** The digests of the personal parts. A part without a salt has none. */
export function commitmentsOf(event: Event): Commitments {
  const parts = partsOf(event);
  const commit = (part: PersonalPart) => {
    const salt = event.salts?.[part];
    return isEmpty(parts[part]) || salt === undefined ? null : digestOf([salt, ...parts[part]]);
  };
  return { actor: commit('actor'), target: commit('target'), change: commit('change') };
}

/** The digest of every field that is neither personal nor a mark of ours, also of fields of later versions. */
export function fixedDigest(event: Event & { _id?: unknown; relay?: true; unlinked?: true }): string {
  const { _id, salts, relay, unlinked, email, address, session, before, after, target, ...fixed } = event;
  const { email: _, ...fixedTarget } = target;
  return digestOf({ ...fixed, target: fixedTarget });
}

interface Entry {
  _id: number;
  day: Date;
  event: object | string;
  event_id: string;
  action: string;
  at: Date;
  fixed: string;
  personal: Commitments;
}

/** The link of an entry after the link `previous`, which is empty at the beginning of the chain. */
export const linkOf = (
  previous: string,
  { _id, day, event, event_id, action, at, fixed, personal }: Entry,
): string =>
  digestOf([previous, canonical({ _id, day, event: String(event), event_id, action, at, fixed, personal })]);
