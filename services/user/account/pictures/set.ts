import { randomBytes } from 'node:crypto';
import { AppError } from '@gatehouse/shared/http/errors';
import { expecting, jsonBody } from '@gatehouse/shared/http/fields';
import { principalOf } from '@gatehouse/shared/identity/principal';
import { isLive } from '@gatehouse/shared/identity/sessions';
import { Binary } from 'mongodb';
import { z } from 'zod';
import { operation } from '../operation.ts';
import { presentProfile, profileRecord } from '../profile.ts';
import { MAX_BYTES, readImage } from './read-image.ts';
import { picturePath } from './records.ts';
import { removeOthers } from './remove-others.ts';

/** A PNG of one transparent pixel. */
const EXAMPLE =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** CONTRACT.md §Picture. The picture is stored before the account names it, so a reader never finds a name without one. */
export const setPicture = operation('PUT /api/v1/users/me/picture', {
  needs: 'own',
  byKey: 'edit profile',
  summary: 'Set your own picture',
  description:
    'Replaces the picture of the profile: a PNG, JPEG or WebP image of at most 100 KiB and 1024 by 1024 pixels, in Base64.',
  body: jsonBody({
    picture: z
      .base64(expecting('must be a string in Base64'))
      .max(Math.ceil(MAX_BYTES / 3) * 4, { error: 'must be at most 100 KiB' })
      .meta({ description: 'The image in Base64 (RFC 4648 §4)' }),
  }).meta({ examples: [{ picture: EXAMPLE }] }),
  returns: profileRecord,
  audits: ['profile.update'],
  async handle({ db, now, request, caller: user_id, body, audit }) {
    const { bytes, type } = readImage(body.picture);
    const { user, session } = principalOf(request);
    const _id = randomBytes(18).toString('base64url');
    await db.pictures.insertOne({
      _id,
      user_id,
      type,
      content: new Binary(bytes),
      created_at: new Date(now()),
    });
    const before = await db.users.findOneAndUpdate(
      { _id: user._id, user_id, ...isLive(session) },
      { $set: { picture: _id } },
    );
    if (!before) {
      await db.pictures.deleteOne({ _id });
      throw new AppError('invalidToken'); // deleted or signed out since the bearer was checked
    }
    await removeOthers(db, { user_id, current: _id, replaced: before.picture }, now());
    const after = { ...before, picture: _id };
    await audit('profile.update', {
      before: { picture: before.picture ? picturePath(before.picture) : null },
      after: { picture: picturePath(_id) },
    });
    return presentProfile(after);
  },
});
