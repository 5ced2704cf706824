import type { Audience } from '../records.ts';

/**
 * The accounts, organizations and departments that may read an event: all that hear it, whichever chatbot it is about.
 * Their ids are in one field, so that one index serves them all. They cannot be mistaken for each other: those of
 * accounts begin with `User-`, the others are UUIDs.
 */
export const readersOf = ({
  owner_id,
  organization_id,
  department_id,
  other_organization_ids = [],
}: Audience): string[] =>
  [owner_id, organization_id, department_id, ...other_organization_ids].filter((id) => id !== null);
