import { optimistic } from '@gatehouse/shared/durable/optimistic';
import { orNotFound } from '@gatehouse/shared/http/errors';
import { auditedKey, keyChanges, keyRecord, presentKey, storedFields } from './contract.ts';
import { operation } from './operation.ts';
import { auditTarget, OWNERS, ownerInPath } from './owners.ts';
import { requireKeyHolder } from './require-key-holder.ts';

export const updateKeys = OWNERS.map(({ of, path, needs, permissions }) =>
  operation(`PATCH ${path}/keys/{key_id}`, {
    needs,
    supportSession: 'refused',
    fresh: true,
    summary: `Change ${of}`,
    description: 'Changes the fields that the body names, for the calls that follow. The secret stays.',
    body: keyChanges(permissions),
    returns: keyRecord,
    audits: ['key.update'],
    async handle({ config, db, now, request, params: { key_id }, body, audit }) {
      const owner = await ownerInPath(db, request);
      await requireKeyHolder({ config, db, now, request }, body.permissions ?? []);
      const changes = storedFields(body, now());
      const { before, changed } = await optimistic(async () => {
        const before = orNotFound(await db.machineKeys.findOne({ _id: key_id, owner }));
        if (Object.keys(changes).length === 0) return { before, changed: before };
        const changed = await db.machineKeys.findOneAndUpdate(
          { _id: key_id, owner },
          { $set: changes },
          { returnDocument: 'after' },
        );
        return changed ? { before, changed } : undefined;
      });
      const names = Object.keys(changes) as (keyof typeof changes)[];
      const shown = (key: typeof before) =>
        auditedKey(Object.fromEntries(names.map((name) => [name, key[name]])));
      if (names.length > 0)
        await audit('key.update', {
          target: auditTarget(request, key_id),
          before: shown(before),
          after: shown(changed),
        });
      return presentKey(changed);
    },
  }),
);
