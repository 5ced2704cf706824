import { oneOf } from '@gatehouse/shared/http/fields';
import { isEnrolled } from '@gatehouse/shared/identity/enrolled';
import { principalOf } from '@gatehouse/shared/identity/principal';
import { requiresSso } from '@gatehouse/shared/identity/sso';
import type { User } from '@gatehouse/shared/identity/user-record';
import { userIdOf } from '@gatehouse/shared/identity/users';
import { hasPassword } from '@gatehouse/shared/identity/ways-in';
import { z } from 'zod';
import { linkRecord, ownLinks, presentLink } from '../links/list-links.ts';
import { passkeyRecord, presentPasskey } from '../passkeys/contract.ts';
import { ownPasskeys } from '../passkeys/own-passkeys.ts';
import { operation } from './operation.ts';

const dateTime = z.string().meta({ format: 'date-time' });

export const factorsRecord = z
  .object({
    totp: z
      .object({ enrolled_at: dateTime })
      .nullable()
      .meta({ description: 'The authenticator app; null without one' }),
    recovery_codes_left: z.int(),
    reset_at: dateTime.nullable().meta({
      description:
        'When the second factor ends, because an operator has been asked to reset it; null unless that is to come. A code, used before, cancels it.',
    }),
  })
  .meta({
    description: 'What protects the account besides the password',
    examples: [
      { totp: { enrolled_at: '2026-01-15T09:30:00.000Z' }, recovery_codes_left: 10, reset_at: null },
    ],
  });

const ownFactors = factorsRecord
  .extend({
    passkeys: z
      .array(passkeyRecord)
      .optional()
      .meta({ description: 'Oldest first; only with `include=ways`' }),
    links: z.array(linkRecord).optional().meta({ description: 'Oldest first; only with `include=ways`' }),
    password: z.object({ set: z.boolean(), allowed: z.boolean() }).meta({
      description: 'Whether the account has a password, and whether its organization lets it log in with one',
    }),
  })
  .meta({
    description: 'What protects the account',
    examples: [
      {
        totp: { enrolled_at: '2026-01-15T09:30:00.000Z' },
        recovery_codes_left: 10,
        reset_at: null,
        password: { set: true, allowed: true },
      },
    ],
  });

export const readFactors = operation('GET /api/v1/users/me/factors', {
  needs: 'own',
  summary: 'Read your own factors',
  description:
    'Tells whether the account has a password and an authenticator app, and how many recovery codes are unused. With `include=ways`, its passkeys and links to providers as well.',
  query: z.object({ include: oneOf(['ways']).optional() }),
  returns: ownFactors,
  async handle({ db, now, request, query: { include } }) {
    const { user } = principalOf(request);
    const [isSsoRequired, passkeys, links] = await Promise.all([
      requiresSso(db, user, now()),
      include && ownPasskeys(db, user),
      include && ownLinks(db, user.links, userIdOf(user) ?? ''),
    ]);
    return {
      ...presentFactors(user, now()),
      password: { set: hasPassword(user), allowed: !isSsoRequired },
      ...(passkeys && { passkeys: passkeys.map(presentPasskey) }),
      ...(links && { links: links.map(presentLink) }),
    };
  },
});

export function presentFactors(user: User, now: number): z.infer<typeof factorsRecord> {
  if (!isEnrolled(user, now)) return { totp: null, recovery_codes_left: 0, reset_at: null };
  const { enrolled_at, recovery_codes } = user.second_factor;
  return {
    totp: { enrolled_at: enrolled_at.toISOString() },
    recovery_codes_left: recovery_codes.length,
    reset_at: user.factor_reset?.due_at.toISOString() ?? null,
  };
}
