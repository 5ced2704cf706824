import type { Database } from '../database.ts';

/**
 * Takes somebody off the access lists of a department's chatbots, and passes on what he owns there: to the list's
 * longest-serving other Owner, else to an Owner of the organization. What is left of who has gone gives him
 * nothing, since only people of the department have roles; this is so that it gives him nothing when he comes
 * again either, and that nobody takes him for an Owner.
 */
export async function forgetGrants(
  db: Database,
  place: { organization_id: string; department_id: string | { $in: string[] } },
  user_id: string,
): Promise<void> {
  const { organization_id } = place;
  const organization = await db.organizations.findOne({ organization_id });
  const owners = organization?.owners.map((owner) => owner.user_id) ?? [];
  if (owners.includes(user_id)) return; // still of every department
  const [last = user_id] = owners;
  const isOwner = { $eq: ['$$grant.role', 'Owner'] };
  const heirs = { $filter: { input: '$permissions', as: 'grant', cond: isOwner } };
  const heir = { $arrayElemAt: [{ $map: { input: heirs, as: 'grant', in: '$$grant.user_id' } }, 0] };
  const others = {
    $filter: {
      input: { $ifNull: ['$permissions', []] },
      as: 'grant',
      cond: { $ne: ['$$grant.user_id', { $literal: user_id }] },
    },
  };
  await db.chatbots.updateMany(
    { ...place, $or: [{ owner_id: user_id }, { 'permissions.user_id': user_id }] },
    [
      { $set: { permissions: others, access_version: { $add: [{ $ifNull: ['$access_version', 0] }, 1] } } },
      {
        $set: {
          owner_id: {
            $cond: [
              { $eq: ['$owner_id', { $literal: user_id }] },
              { $ifNull: [heir, { $literal: last }] },
              '$owner_id',
            ],
          },
        },
      },
      // Who owns it now has no lower role beside.
      {
        $set: {
          permissions: {
            $filter: {
              input: '$permissions',
              as: 'grant',
              cond: { $or: [isOwner, { $ne: ['$$grant.user_id', '$owner_id'] }] },
            },
          },
        },
      },
    ],
  );
}
