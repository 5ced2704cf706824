import { AppError } from '@gatehouse/shared/http/errors';
import { jsonBody, line } from '@gatehouse/shared/http/fields';
import { principalOf } from '@gatehouse/shared/identity/principal';
import { isLive } from '@gatehouse/shared/identity/sessions';
import { z } from 'zod';
import { presentSession, sessionRecord } from './list-sessions.ts';
import { operation } from './operation.ts';
import { liveSessions } from './sessions-live.ts';

/** Names that are kept; the oldest one is forgotten first. */
const MAX_NAMES = 50;

export const nameSession = operation('PATCH /api/v1/users/me/sessions/{session_id}', {
  needs: 'own',
  supportSession: 'refused',
  summary: 'Name the device of a session',
  description: 'Gives the device of one of your own sessions a name. `null` removes the name.',
  params: z.object({ session_id: line(200) }),
  body: jsonBody({
    name: line(60).nullable(),
  }).meta({ examples: [{ name: 'Work laptop' }] }),
  returns: sessionRecord,
  async handle({ db, locate, now, request, caller, params: { session_id }, body: { name } }) {
    const [found] = await liveSessions(db, request, caller, now(), session_id);
    if (!found) throw new AppError('notFound');
    const { user, session } = principalOf(request);
    const others = {
      $filter: {
        input: { $ifNull: ['$session_names', []] },
        cond: { $ne: ['$$this.id', { $literal: session_id }] },
      },
    };
    const named = name === null ? [] : [{ $literal: { id: session_id, name } }];
    const { matchedCount } = await db.users.updateOne({ _id: user._id, ...isLive(session) }, [
      { $set: { session_names: { $slice: [{ $concatArrays: [others, named] }, -MAX_NAMES] } } },
    ]);
    if (matchedCount === 0) throw new AppError('invalidToken');
    return presentSession({ ...found, name }, locate);
  },
});
