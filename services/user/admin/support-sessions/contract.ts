import { z } from 'zod';
import { AT } from '../../organizations/contract.ts';
import type { SupportRecord } from './records.ts';

export const MODES = ['read', 'full'] as const;

const dateTime = z.string().meta({ format: 'date-time' });

export const supportRecord = z
  .object({
    session_id: z.string(),
    person_id: z.string(),
    operator: z.string().meta({ description: 'The user_id of the operator' }),
    mode: z.enum(MODES),
    reason: z.string(),
    began_at: dateTime,
    expires_at: dateTime,
    ended_at: dateTime.nullable().meta({ description: 'When an operator ended it' }),
    live: z.boolean().meta({ description: 'Whether its token is still accepted' }),
  })
  .meta({
    description: 'The support session',
    examples: [
      {
        session_id: '01936f31-2c4b-7b1d-8e52-6a0d4f9c7e13',
        person_id: 'User-720415',
        operator: 'User-483920',
        mode: 'read',
        reason: 'Cannot find their chatbots, ticket 4711',
        began_at: AT,
        expires_at: '2026-01-15T10:00:00.000Z',
        ended_at: null,
        live: true,
      },
    ],
  });

export const presentSupport = (
  { began_at, expires_at, ended_at, ...record }: SupportRecord,
  live: boolean,
): z.infer<typeof supportRecord> => ({
  ...record,
  began_at: began_at.toISOString(),
  expires_at: expires_at.toISOString(),
  ended_at: ended_at?.toISOString() ?? null,
  live,
});
