import { requiredText } from '@gatehouse/shared/http/fields';
import type { Passkey } from '@gatehouse/shared/passkeys/records';
import { z } from 'zod';
import { DEVICE_FAMILIES, deviceOf } from './device.ts';

const dateTime = z.string().meta({ format: 'date-time' });

export const passkeyRecord = z
  .object({
    passkey_id: z.string(),
    name: z.string(),
    device_family: z.enum(DEVICE_FAMILIES).meta({
      description:
        '`synced`: copied among devices by a password manager; `security_key`: on a key that is plugged in or held to the device; `device`: on one device',
    }),
    provider: z.string().nullable().meta({
      description:
        'The password manager or system, as the device reports it; null if it is not one of the most common',
    }),
    created_at: dateTime,
    last_used_at: dateTime.nullable().meta({ description: 'To the hour; null until the first use' }),
  })
  .meta({
    description: 'The passkey',
    examples: [
      {
        passkey_id: '01936f31-2c4b-7b1d-8e52-6a0d4f9c7e13',
        name: 'Phone',
        device_family: 'synced',
        provider: 'Apple Passwords',
        created_at: '2026-01-15T09:30:00.000Z',
        last_used_at: '2026-01-15T10:00:00.000Z',
      },
    ],
  });

export const ofPasskey = z.object({ passkey_id: requiredText.max(100) });

export const presentPasskey = (passkey: Passkey): z.infer<typeof passkeyRecord> => ({
  passkey_id: passkey.passkey_id,
  name: passkey.name,
  ...deviceOf(passkey),
  created_at: passkey.created_at.toISOString(),
  last_used_at: passkey.last_used_at?.toISOString() ?? null,
});
