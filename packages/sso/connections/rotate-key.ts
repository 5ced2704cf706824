import { optimistic } from '@gatehouse/shared/durable/optimistic';
import { AppError } from '@gatehouse/shared/http/errors';
import { jsonBody } from '@gatehouse/shared/http/fields';
import type { OwnKey } from '../connection-records.ts';
import { operation } from '../dependencies.ts';
import { createSpKey } from '../saml/sp-key.ts';

import { flag } from './fields.ts';
import { ownedConnection, requirePlan } from './owned.ts';
import { connectionRecord, presentConnection } from './record.ts';

/** Milliseconds for which our metadata still hold the certificate of the former key. */
const PUBLISHED = 30 * 86_400_000;

/** CONTRACT.md §SAML. */
export const rotateKey = operation('POST /api/v1/sso/connections/{connection_id}/rotate-key', {
  needs: 'ownership',
  supportSession: 'refused',
  summary: 'Rotate our SAML key of a connection',
  description:
    'Makes a new key sign our messages at once, or the one that an earlier call prepared. Our metadata hold the certificates of both keys for 30 days, and assertions that are encrypted for the former key are decrypted until the next rotation. A provider that verifies our signatures must know the new certificate first: `prepare: true` makes a key and publishes its certificate, without using it to sign; call again without it once the provider has read our metadata.',
  body: jsonBody({
    prepare: flag
      .exactOptional()
      .meta({ description: 'Whether the new key is only published, not used yet' }),
  }).meta({ examples: [{ prepare: true }] }),
  returns: connectionRecord,
  audits: ['connection.update'],
  async handle(call) {
    const { db, secrets, now, audit, params, body, request } = call;
    const { connection_id } = params;
    const { prepare = false } = body;
    return optimistic(async () => {
      const before = await ownedConnection(call, request, connection_id);
      const { organization_id, slug, saml, own_keys = {} } = before;
      await requirePlan(call, organization_id);
      if (!saml)
        throw new AppError('invalidFormat', { text: 'The connection has no key, since it is not of SAML' });
      const at = new Date(now());
      const next = own_keys.next ?? (await newKey(slug));
      // A prepared key stays: the provider may know it by now.
      const change = prepare
        ? { own_keys: { ...own_keys, next } }
        : {
            'saml.sp_private_key': next.private_key,
            'saml.sp_certificate': next.certificate,
            own_keys: {
              previous: {
                private_key: saml.sp_private_key,
                certificate: saml.sp_certificate,
                published_until: new Date(now() + PUBLISHED),
              },
            },
          };
      const after = await db.ssoConnections.findOneAndUpdate(
        {
          connection_id,
          deleted_at: { $exists: false },
          'saml.sp_certificate': saml.sp_certificate,
          'own_keys.next.certificate': own_keys.next?.certificate ?? { $exists: false },
        },
        { $set: { ...change, updated_at: at } },
        { returnDocument: 'after' },
      );
      // A concurrent rotation came first.
      if (!after) return undefined;
      await audit('connection.update', {
        target: { connection_id },
        organization_id,
        after: { key: prepare ? 'prepared' : 'rotated' },
      });
      return presentConnection(call, after);
    });

    async function newKey(slug: string): Promise<OwnKey> {
      const { privateKey, certificate } = await createSpKey(slug, now());
      return { private_key: secrets.seal(privateKey, connection_id), certificate };
    }
  },
});
