import { orNotFound } from '@gatehouse/shared/http/errors';
import { z } from 'zod';
import { operation } from '../operation.ts';
import { MEDIA_TYPES } from './records.ts';

/** CONTRACT.md §Picture. The id cannot be guessed; whoever has it may look, as an `<img>` sends no bearer. */
export const getPicture = operation('GET /api/v1/pictures/{picture_id}', {
  needs: 'nothing',
  summary: 'Read a picture',
  description:
    'Returns the image that a profile names. A picture never changes, so browsers keep it; one that was replaced or removed is 404.',
  params: z.object({ picture_id: z.string().max(64) }),
  // The failures are JSON.
  produces: [...MEDIA_TYPES, 'application/json'],
  returns: {
    200: z.string().meta({ description: 'The image', format: 'binary', examples: ['\u0089PNG…'] }),
  },
  fails: ['invalidFormat', 'notFound', 'rateLimited', 'unavailable'],
  async handle({ db, reply, params: { picture_id } }) {
    const { user_id, type, content } = orNotFound(await db.pictures.findOne({ _id: picture_id }));
    orNotFound(await db.users.findOne({ user_id, picture: picture_id }, { projection: { _id: 1 } }));
    return reply
      .headers({
        'content-type': type,
        'cache-control': 'public, max-age=31536000, immutable',
        'content-security-policy': "default-src 'none'; sandbox",
        'cross-origin-resource-policy': 'cross-origin',
      })
      .send(Buffer.from(content.value()));
  },
});
