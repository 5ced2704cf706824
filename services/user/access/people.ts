import { ANY_STRING } from '@gatehouse/shared/data/connect';
import { domainOf } from '@gatehouse/shared/identity/email';
import type { Domain } from '@gatehouse/shared/identity/sso';
import type { User } from '@gatehouse/shared/identity/user-record';
import { z } from 'zod';
import type { Database } from '../database.ts';

/** What an organization sees of a person. */
export const personFields = {
  name: z.string().nullable().meta({ description: 'The name of the account; null if it is gone' }),
  email: z.string().nullable().meta({
    description:
      'The invited address, or that of the account if the organization has verified its domain; otherwise null',
  }),
};

interface Person {
  name: string | null;
  /** Null unless the organization has verified its domain. */
  email: string | null;
}

const NOBODY: Person = { name: null, email: null };

/**
 * Reads the names of people with a role in an organization, and their addresses in its verified domains, with one
 * query. Other people have not agreed to be named to it.
 */
export async function peopleOf(
  db: Database,
  organization_id: string,
  user_ids: readonly (string | undefined)[],
): Promise<(user_id: string | undefined) => Person> {
  const named = user_ids.filter((user_id) => user_id !== undefined && user_id !== '') as string[];
  if (named.length === 0) return () => NOBODY;
  const rows = await db.users
    .aggregate<Partial<Pick<User, 'user_id' | 'name' | 'email'> & Pick<Domain, 'verified_domain'>>>([
      { $match: { user_id: { $in: [...new Set(named)] } } },
      { $project: { _id: 0, user_id: 1, name: 1, email: 1 } },
      {
        $unionWith: {
          coll: db.ssoDomains.collectionName,
          pipeline: [
            { $match: { organization_id, verified_domain: ANY_STRING } },
            { $project: { _id: 0, verified_domain: 1 } },
          ],
        },
      },
    ])
    .toArray();
  const domains = new Set(rows.map(({ verified_domain }) => verified_domain));
  const people = new Map(
    rows.map(({ user_id, name, email = '' }) => [
      user_id,
      { name: nameOf(name), email: domains.has(domainOf(email)) ? email : null },
    ]),
  );
  return (user_id) => (user_id === undefined ? NOBODY : (people.get(user_id) ?? NOBODY));
}

/** Older records may have no name, or one that is not a string. */
export const nameOf = (name: unknown): string | null => (typeof name === 'string' ? name : null);

/**
 * Reads the names of those of the given users who have a role in a department. A personal chatbot names nobody:
 * a grant there needs no consent, so a guessed user_id would become a name.
 */
export async function namesInDepartment(
  db: Database,
  { organization_id, department_id }: { organization_id: string | null; department_id: string | null },
  user_ids: readonly string[],
): Promise<(user_id: string) => string | null> {
  if (organization_id === null || department_id === null) return () => null;
  const user_id = { $in: [...user_ids] };
  const rows = await db.users
    .aggregate<{ user_id?: string; name?: unknown; present?: string | string[] }>([
      { $match: { user_id } },
      { $project: { _id: 0, user_id: 1, name: 1 } },
      {
        $unionWith: {
          coll: db.memberships.collectionName,
          pipeline: [{ $match: { department_id, user_id } }, { $project: { _id: 0, present: '$user_id' } }],
        },
      },
      {
        $unionWith: {
          coll: db.organizations.collectionName,
          pipeline: [{ $match: { organization_id } }, { $project: { _id: 0, present: '$owners.user_id' } }],
        },
      },
    ])
    .toArray();
  const present = new Set(rows.flatMap((row) => row.present ?? []));
  const names = new Map(rows.map(({ user_id: id = '', name }) => [id, nameOf(name)]));
  return (id) => (present.has(id) ? (names.get(id) ?? null) : null);
}
