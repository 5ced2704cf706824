import { isEnrolled } from '@gatehouse/shared/identity/enrolled';
import type { User } from '@gatehouse/shared/identity/user-record';
import { userIdOf } from '@gatehouse/shared/identity/users';
import { hasPasskey } from '@gatehouse/shared/identity/ways-in';
import type { WithId } from 'mongodb';
import { z } from 'zod';
import { AT } from '../../organizations/contract.ts';
import { personIdOf } from './find-person.ts';

const dateTime = z.string().meta({ format: 'date-time' });

const STATES = ['active', 'unverified', 'paused', 'disabled'] as const;

export const EXAMPLE = {
  person_id: 'User-483920',
  user_id: 'User-483920',
  email: 'ada@example.com',
  name: 'Ada Lovelace',
  state: 'active' as const,
  created_at: AT,
  plan: 'Free',
  second_factor: true,
  passkeys: false,
  deletion_due_at: null,
  imported_from: null,
};

export const personSummary = z
  .object({
    person_id: z
      .string()
      .meta({ description: 'Names the person in paths: the user_id, or the id of a record without one' }),
    user_id: z.string().nullable(),
    email: z.string(),
    name: z.string(),
    state: z.enum(STATES),
    created_at: dateTime,
    plan: z.string().nullable(),
    second_factor: z.boolean(),
    passkeys: z.boolean(),
    deletion_due_at: dateTime.nullable(),
    imported_from: z.string().nullable(),
  })
  .meta({
    description: 'The person',
    examples: [EXAMPLE],
  });

/** Older records hold values of other types. */
export const textOf = (value: unknown): string | null =>
  value === undefined || value === null ? null : String(value);

const stateOf = ({ verified, account_status }: User): (typeof STATES)[number] => {
  if (account_status === 'disabled') return 'disabled';
  if (!verified) return 'unverified';
  return account_status === 'paused' ? 'paused' : 'active';
};

/** @param now Unix milliseconds. */
export const presentSummary = (user: WithId<User>, now: number): z.infer<typeof personSummary> => ({
  person_id: personIdOf(user),
  user_id: userIdOf(user),
  email: user.email,
  name: textOf(user.name) ?? '',
  state: stateOf(user),
  created_at: user._id.getTimestamp().toISOString(),
  plan: textOf(user.subscription_plan),
  second_factor: isEnrolled(user, now),
  passkeys: hasPasskey(user),
  deletion_due_at: user.deletion?.due_at.toISOString() ?? null,
  imported_from: user.imported?.from ?? null,
});
