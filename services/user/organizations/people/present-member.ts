import type { z } from 'zod';
import { peopleOf } from '../../access/people.ts';
import type { Membership } from '../../access/records.ts';
import type { Database } from '../../database.ts';
import type { listedMember, memberRecord } from './contract.ts';

/** The public fields of a member; `email` is null unless the member was invited by e-mail. */
export const presentMember = ({
  user_id = '',
  role,
  email,
  granted_by,
  granted_at,
}: Membership): z.infer<typeof memberRecord> => ({
  user_id,
  role,
  email: email ?? null,
  granted_by,
  granted_at,
});

/** Members with their names, and the addresses that the organization knows. */
export async function presentMembers(
  db: Database,
  organization_id: string,
  members: readonly Membership[],
): Promise<z.infer<typeof listedMember>[]> {
  const personOf = await peopleOf(
    db,
    organization_id,
    members.map(({ user_id }) => user_id),
  );
  return members.map((membership) => {
    const { name, email } = personOf(membership.user_id);
    const member = presentMember(membership);
    return { ...member, name, email: member.email ?? email };
  });
}
