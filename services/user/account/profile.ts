import { AppError } from '@gatehouse/shared/http/errors';
import { expecting, jsonBody, line, oneOf } from '@gatehouse/shared/http/fields';
import { isLanguage, LANGUAGES } from '@gatehouse/shared/http/language';
import { principalOf } from '@gatehouse/shared/identity/principal';
import { isLive } from '@gatehouse/shared/identity/sessions';
import type { User } from '@gatehouse/shared/identity/user-record';
import { z } from 'zod';
import { operation } from './operation.ts';
import { picturePath } from './pictures/records.ts';

/** The public fields of a user record (CONTRACT.md §User record). */
export const profileRecord = z
  .object({
    email: z.string(),
    name: z.string(),
    verified: z.boolean(),
    user_id: z.string().nullable(),
    account_status: z.string(),
    payment_status: z.string(),
    'user_created_at(DATE)': z.string(),
    subscription_id: z.string(),
    subscription_date: z.string(),
    subscription_plan: z.string().nullable(),
    subscription_expiry: z.string().nullable(),
    created_at: z.string().nullable(),
    last_login: z.string().nullable(),
    phone: z.string().nullable(),
    company: z.string().nullable(),
    role: z.string().nullable(),
    language: z
      .enum(LANGUAGES)
      .nullable()
      .meta({ description: 'The language of mails; null for English on an older account' }),
    picture: z.string().nullable().meta({ description: 'The path of the picture at the gateway' }),
  })
  .meta({
    description: 'The profile',
    examples: [
      {
        email: 'ada@example.com',
        name: 'Ada Lovelace',
        verified: true,
        user_id: 'User-483920',
        account_status: 'active',
        payment_status: 'pending',
        'user_created_at(DATE)': '2026-01-15',
        subscription_id: 'free',
        subscription_date: '2026-01-15',
        subscription_plan: 'Free',
        subscription_expiry: null,
        created_at: '2026-01-15T09:30:00.000Z',
        last_login: null,
        phone: null,
        company: null,
        role: null,
        language: 'en',
        picture: '/api/v1/pictures/8oQK2mVh0pJ7xw3fZr5tLbYd',
      },
    ],
  });

const changes = jsonBody({
  name: line(200).exactOptional(),
  phone: z
    .string(expecting('must be a string or null'))
    .regex(/^\+?[0-9 ().-]{3,32}$/, { error: 'must be a phone number' })
    .nullable()
    .exactOptional(),
  company: line(200).nullable().exactOptional(),
  language: oneOf(LANGUAGES).exactOptional(),
})
  .refine((fields) => Object.keys(fields).length > 0, {
    error: 'must contain name, phone, company or language',
  })
  .meta({
    examples: [
      { name: 'Ada King', phone: '+44 20 7946 0000', company: 'Analytical Engines', language: 'en' },
    ],
  });

/** CONTRACT.md §Profile. */
export const readProfile = operation('GET /api/v1/users/me', {
  needs: 'own',
  byKey: 'view profile',
  summary: 'Read your own profile',
  description: 'Returns the user that the token identifies.',
  returns: profileRecord,
  handle: async ({ request }) => presentProfile(principalOf(request).user),
});

export const updateProfile = operation('PATCH /api/v1/users/me', {
  needs: 'own',
  byKey: 'edit profile',
  summary: 'Change your own profile',
  description:
    'Changes name, phone number, company and the language of mails. `null` removes the phone number or the company.',
  body: changes,
  returns: profileRecord,
  audits: ['profile.update'],
  async handle({ db, request, caller: user_id, body, audit }) {
    const { user, session } = principalOf(request);
    const fields = Object.entries(body);
    const set = Object.fromEntries(fields.filter(([, value]) => value !== null));
    const unset = Object.fromEntries([
      ...fields.filter(([, value]) => value === null).map(([field]) => [field, true as const]),
      ...('name' in set ? [['name_words', true as const]] : []),
    ]);
    const changed = await db.users.findOneAndUpdate(
      { _id: user._id, user_id, ...isLive(session) },
      {
        ...(Object.keys(set).length > 0 && { $set: set }),
        ...(Object.keys(unset).length > 0 && { $unset: unset }),
      },
      { returnDocument: 'after' },
    );
    if (!changed) throw new AppError('invalidToken'); // deleted or signed out since the bearer was checked
    const changedFields = (record: User) => {
      const shown = presentProfile(record);
      const names = Object.keys(body) as (keyof typeof body)[];
      return Object.fromEntries(names.map((name) => [name, shown[name]]));
    };
    await audit('profile.update', { before: changedFields(user), after: changedFields(changed) });
    return presentProfile(changed);
  },
});

/** Older records may lack fields or hold values of other types. */
export function presentProfile(user: User): z.infer<typeof profileRecord> {
  const text = (value: unknown) => (value === undefined || value === null ? null : String(value));
  return {
    email: user.email,
    name: text(user.name) ?? '',
    verified: Boolean(user.verified),
    user_id: text(user.user_id),
    account_status: text(user.account_status) ?? '',
    payment_status: text(user.payment_status) ?? '',
    'user_created_at(DATE)': text(user['user_created_at(DATE)']) ?? '',
    subscription_id: text(user.subscription_id) ?? '',
    subscription_date: text(user.subscription_date) ?? '',
    subscription_plan: text(user.subscription_plan),
    subscription_expiry: text(user.subscription_expiry),
    created_at: text(user.created_at),
    last_login: text(user.last_login),
    phone: text(user.phone),
    company: text(user.company),
    role: text(user.role),
    language: isLanguage(user.language) ? user.language : null,
    picture: user.picture ? picturePath(user.picture) : null,
  };
}
