import { AppError } from '@gatehouse/shared/http/errors';
import { principalOf } from '@gatehouse/shared/identity/principal';
import { isLive } from '@gatehouse/shared/identity/sessions';
import { operation } from '../operation.ts';
import { presentProfile, profileRecord } from '../profile.ts';
import { picturePath } from './records.ts';
import { removeOthers } from './remove-others.ts';

/** CONTRACT.md §Picture. A picture that no account names is served to nobody. */
export const removePicture = operation('DELETE /api/v1/users/me/picture', {
  needs: 'own',
  byKey: 'edit profile',
  summary: 'Remove your own picture',
  description: 'Removes the picture of the profile. Without one, nothing changes.',
  returns: profileRecord,
  audits: ['profile.update'],
  async handle({ db, now, request, caller: user_id, audit }) {
    const { user, session } = principalOf(request);
    const before = await db.users.findOneAndUpdate(
      { _id: user._id, user_id, ...isLive(session) },
      { $unset: { picture: true } },
    );
    if (!before) throw new AppError('invalidToken'); // deleted or signed out since the bearer was checked
    const { picture, ...after } = before;
    await removeOthers(db, { user_id, replaced: picture }, now());
    if (picture)
      await audit('profile.update', {
        before: { picture: picturePath(picture) },
        after: { picture: null },
      });
    return presentProfile(after);
  },
});
