import { jsonBody } from '@gatehouse/shared/http/fields';
import { keyWithSecret, presentKey } from './contract.ts';
import { operation } from './operation.ts';
import { auditTarget, OWNERS, ownerInPath } from './owners.ts';
import { overlapDays, rotateKey } from './rotate-key.ts';

export const rotateKeys = OWNERS.map(({ of, path, needs }) =>
  operation(`POST ${path}/keys/{key_id}/rotate`, {
    needs,
    supportSession: 'refused',
    fresh: true,
    returnsSecret: true,
    summary: `Replace the secret of ${of}`,
    description:
      'The answer is the only one that holds the new secret. The former one works for so many days more; 0 ends it at once. Another rotation ends an earlier overlap. 409 if another call has just rotated the key.',
    body: jsonBody({ overlap_days: overlapDays }).meta({ examples: [{ overlap_days: 1 }] }),
    returns: keyWithSecret,
    fails: ['duplicate'],
    audits: ['key.rotate'],
    async handle({ db, now, request, params: { key_id: _id }, body: { overlap_days }, audit }) {
      const owner = await ownerInPath(db, request);
      const { record, key } = await rotateKey(db, { _id, owner }, { overlap_days, now: now() });
      await audit('key.rotate', {
        target: auditTarget(request, _id),
        after: { overlap_days: String(overlap_days) },
      });
      return { ...presentKey(record), key };
    },
  }),
);
