import { AppError, orNotFound } from '@gatehouse/shared/http/errors';
import { expecting, jsonBody } from '@gatehouse/shared/http/fields';
import { keyText, newKeySecret, secretHash } from '@gatehouse/shared/identity/machine-keys/format';
import { z } from 'zod';
import { keyWithSecret, presentKey } from './contract.ts';
import { operation } from './operation.ts';
import { auditTarget, OWNERS, ownerInPath } from './owners.ts';

const MAX_OVERLAP = 7;
const DAY = 86_400_000;

const overlapError = `must be an integer from 0 to ${MAX_OVERLAP}`;

export const rotateKeys = OWNERS.map(({ of, path, needs }) =>
  operation(`POST ${path}/keys/{key_id}/rotate`, {
    needs,
    supportSession: 'refused',
    fresh: true,
    returnsSecret: true,
    summary: `Replace the secret of ${of}`,
    description:
      'The answer is the only one that holds the new secret. The former one works for so many days more; 0 ends it at once. Another rotation ends an earlier overlap. 409 if another call has just rotated the key.',
    body: jsonBody({
      overlap_days: z
        .int(expecting(overlapError))
        .min(0, { error: overlapError })
        .max(MAX_OVERLAP, { error: overlapError }),
    }).meta({ examples: [{ overlap_days: 1 }] }),
    returns: keyWithSecret,
    fails: ['duplicate'],
    audits: ['key.rotate'],
    async handle({ db, now, request, params: { key_id: _id }, body: { overlap_days }, audit }) {
      const owner = await ownerInPath(db, request);
      const { hash } = orNotFound(await db.machineKeys.findOne({ _id, owner }));
      const secret = newKeySecret();
      const rotated_at = new Date(now());
      const until = new Date(now() + overlap_days * DAY);
      const rotated = await db.machineKeys.findOneAndUpdate(
        // One of two rotations at once would otherwise end the secret that machines still use.
        { _id, owner, hash },
        overlap_days > 0
          ? { $set: { hash: secretHash(secret), rotated_at, previous: { hash, until } } }
          : { $set: { hash: secretHash(secret), rotated_at }, $unset: { previous: true } },
        { returnDocument: 'after' },
      );
      if (!rotated) throw new AppError('duplicate', { text: 'Another call has just changed the key' });
      await audit('key.rotate', {
        target: auditTarget(request, _id),
        after: { overlap_days: String(overlap_days) },
      });
      return { ...presentKey(rotated), key: keyText(_id, secret) };
    },
  }),
);
