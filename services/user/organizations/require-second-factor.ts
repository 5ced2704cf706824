import { orNotFound } from '@gatehouse/shared/http/errors';
import { jsonBody } from '@gatehouse/shared/http/fields';
import { z } from 'zod';
import { membershipOf } from '../access/membership.ts';
import { organizationRecord } from './contract.ts';
import { operation } from './operation.ts';
import { GRACE_DAYS } from './records.ts';

const GRACE = GRACE_DAYS * 86_400_000;

/** CONTRACT.md §Required second factor. */
export const requireSecondFactor = operation('PUT /api/v1/organizations/{organization_id}/second-factor', {
  needs: 'ownership',
  fresh: true,
  summary: 'Require a second factor of the members',
  description: `For ${GRACE_DAYS} days, nothing changes. From then on, members and Owners without a second factor get 403 \`ENROLLMENT_REQUIRED\` for everything that belongs to the organization, until they set one up. A session that began at a SAML or OpenID Connect provider of the organization is let through. Turned on again within ${GRACE_DAYS} days, the requirement continues with its former grace. Has no effect if nothing changes.`,
  body: jsonBody({ required: z.boolean({ error: 'must be true or false' }) }).meta({
    examples: [{ required: true }],
  }),
  returns: organizationRecord,
  audits: ['organization.update'],
  async handle({ db, now, audit, params: { organization_id }, body: { required }, request }) {
    const own = { organization_id, 'owners.user_id': membershipOf(request).caller };
    const changed = await db.organizations.findOneAndUpdate(
      { ...own, second_factor: { $exists: !required } },
      required ? turnOn(now()) : turnOff(now()),
      { returnDocument: 'after' },
    );
    if (!changed) return orNotFound(await db.organizations.findOne(own));
    const [before, after] = required ? ['optional', 'required'] : ['required', 'optional'];
    await audit('organization.update', {
      before: { second_factor: before },
      after: { second_factor: after },
    });
    return changed;
  },
});

const iso = (time: number) => new Date(time).toISOString();

/** Within the days of a grace, the former one continues: turning the requirement off and on gains no time. */
const turnOn = (now: number) => [
  {
    $set: {
      second_factor: {
        required_since: iso(now),
        grace_ends_at: {
          $cond: [
            { $gt: ['$second_factor_before.ended_at', iso(now - GRACE)] },
            '$second_factor_before.grace_ends_at',
            iso(now + GRACE),
          ],
        },
      },
    },
  },
  { $unset: 'second_factor_before' },
];

const turnOff = (now: number) => [
  {
    $set: {
      second_factor_before: { ended_at: iso(now), grace_ends_at: '$second_factor.grace_ends_at' },
    },
  },
  { $unset: 'second_factor' },
];
