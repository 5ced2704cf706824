import { isEnrolled } from '@gatehouse/shared/identity/enrolled';
import { principalOf } from '@gatehouse/shared/identity/principal';
import type { User } from '@gatehouse/shared/identity/users';
import { z } from 'zod';
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

export const readFactors = operation('GET /api/v1/users/me/factors', {
  needs: 'own',
  summary: 'Read your own second factors',
  description: 'Tells whether the account has an authenticator app, and how many recovery codes are unused.',
  returns: factorsRecord,
  handle: async ({ now, request }) => presentFactors(principalOf(request).user, now()),
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
