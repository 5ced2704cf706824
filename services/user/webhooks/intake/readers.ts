import type { Audience } from '../records.ts';

/** Names who may read an event: one index serves accounts, organizations and departments. */
export const reader = (kind: 'account' | 'organization' | 'department', id: string): string =>
  `${kind} ${id}`;

/** Those who hear an event read it too, whichever chatbot it is about. */
export const readersOf = ({
  owner_id,
  organization_id,
  department_id,
  other_organization_ids = [],
}: Audience): string[] => [
  ...(owner_id === null ? [] : [reader('account', owner_id)]),
  ...[organization_id, ...other_organization_ids].flatMap((id) =>
    id === null ? [] : reader('organization', id),
  ),
  ...(department_id === null ? [] : [reader('department', department_id)]),
];
