import { randomUUIDv7 } from 'node:crypto';
import { AppError, BEARER_FAILURES, failures } from '@gatehouse/shared/http/errors';
import { jsonBody } from '@gatehouse/shared/http/fields';
import { audit } from '@gatehouse/shared/identity/audit';
import { callerId } from '@gatehouse/shared/identity/principal';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import type { Database } from '../database.ts';
import { organizationRecord, tagged } from './contract.ts';
import { name } from './names.ts';
import { MAX_OWNED } from './records.ts';

const config = { permission: 'own' } as const;

const schema = {
  ...tagged,
  summary: 'Create an organization',
  description: `The caller is its first Owner. It starts without departments. Its name must not contain a link or an invisible character. Callers who own ${MAX_OWNED} organizations cannot create another.`,
  body: jsonBody({ name }).meta({ examples: [{ name: 'Analytical Engines' }] }),
  response: {
    201: organizationRecord,
    ...failures('catalogue', 'missingField', 'invalidFormat', ...BEARER_FAILURES),
  },
};

/** POST /api/v1/organizations. */
export const createOrganization: FastifyPluginAsyncZod<{ db: Database; now: () => number }> = async (
  app,
  { db, now },
) => {
  app.post('/api/v1/organizations', { schema, config }, async (request, reply) => {
    const caller = callerId(request);
    const owned = await db.organizations.countDocuments({ 'owners.user_id': caller }, { limit: MAX_OWNED });
    if (owned >= MAX_OWNED)
      throw new AppError('forbidden', {
        text: `An account creates organizations until it owns ${MAX_OWNED}`,
      });
    const at = new Date(now()).toISOString();
    const organization = { organization_id: randomUUIDv7(), name: request.body.name, created_at: at };
    const owners = [{ user_id: caller, granted_by: caller, granted_at: at }];
    await db.organizations.insertOne({ ...organization, owners });
    const { organization_id } = organization;
    await audit(db, request, now(), {
      action: 'owner.add',
      target: { user_id: caller },
      after: { role: 'Owner' },
      organization_id,
    });
    return reply.code(201).send(organization);
  });
};
